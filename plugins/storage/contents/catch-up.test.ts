import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allRows, createFakeClock, queryPlan, runsOnSqlite, watchStatements } from '#kernel/testing'
import { updateReleasable } from '../catalog/cached/releasable-store.ts'
import { pageOfUnsettled } from '../catalog/contents/content-state-store.ts'
import { deletedContents } from '../catalog/references/reference-store.ts'
import type { ObjectVersion } from '../contract.ts'
import { loseFiles } from '../testing/lose-files.ts'
import { createTestKeeper } from '../testing/test-keeper.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { catchUp } from './catch-up.ts'
import { forgetLeftovers } from './forget-leftovers.ts'

const { signal } = new AbortController()
const clock = createFakeClock()

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-catch-up-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** A gateway that can be started with its keeper and without it. */
async function openGateway() {
  const dir = await mkdtemp(join(root, 'start-'))
  const keeper = createTestKeeper()
  const open = (isAttached: boolean) =>
    openVersionStorage({ dir, clock, rules: { policy: 'after_upload' }, keepers: isAttached ? [keeper] : [] })
  return {
    keeper,
    open,
    async start(isAttached: boolean): Promise<VersionStorage> {
      const storage = await open(isAttached)
      await catchUp({ ...storage, clock })
      await forgetLeftovers(storage.database, storage.contents)
      return storage
    },
    /** Gives the content copies, and reports them. */
    async keep({ database, contents }: VersionStorage, { contentId }: ObjectVersion, copies = 2) {
      keeper.copies.set(contentId ?? 0, copies)
      await database.write((tx) => contents.recount(tx, [contentId ?? 0], 1))
    },
  }
}

const at = ({ key, versionId }: ObjectVersion) => ({ bucket: 'photos', key, versionId })
const contentRows = ({ database }: VersionStorage) =>
  allRows<{ id: number; state: string; store: string }>(database.read, 'select id, state, store_state as store from contents order by id')

test('a content that is deleted while its keeper is absent keeps its row until the keeper is back and has removed its copies', async () => {
  const gateway = await openGateway()
  const { keeper } = gateway
  const first = await gateway.start(true)
  const [stored, planned, lasting] = [await first.put('a', 'aaa'), await first.put('b', 'bbb'), await first.put('c', 'ccc')]
  for (const version of [stored, lasting]) await gateway.keep(first, version)
  await first.stop()
  for (const _start of ['first', 'second']) {
    const without = await gateway.start(false)
    for (const version of _start === 'first' ? [stored, planned] : []) await without.versions.delete(at(version))
    expect((await contentRows(without)).map(({ state }) => state)).toEqual(['deleting', 'deleting', 'live'])
    await without.stop()
  }
  expect([keeper.released, keeper.deleted]).toEqual([[], []])
  const again = await gateway.start(true)
  expect([keeper.released, keeper.deleted]).toEqual([[stored.contentId], [planned.contentId]])
  keeper.copies.delete(stored.contentId ?? 0)
  await again.database.write((tx) => again.contents.forgetIfReleased(tx, stored.contentId ?? 0))
  expect([keeper.deleted, (await contentRows(again)).length]).toEqual([[planned.contentId, stored.contentId], 1])
  await again.expectSound()
  await again.stop()
})

test('a gateway that never had a keeper keeps no row of a deleted content', async () => {
  const gateway = await openGateway()
  const storage = await gateway.start(false)
  const version = await storage.put('a', 'aaa')
  await storage.versions.delete(at(version))
  expect(await contentRows(storage)).toEqual([])
  await storage.stop()
})

test('a keeper that is back is told once of contents that were put, put again, given more copies or recovered meanwhile', async () => {
  const gateway = await openGateway()
  const { keeper } = gateway
  const first = await gateway.start(true)
  const [again, raised, lost, untouched] = [
    await first.put('again', 'again'),
    await first.put('raised', 'raised'),
    await first.put('lost', 'lost'),
    await first.put('untouched', 'untouched'),
  ]
  for (const version of [again, raised, untouched]) await gateway.keep(first, version)
  await loseFiles(first, lost.contentId ?? 0)
  expect((await contentRows(first))[2]).toMatchObject({ store: 'lost' })
  await first.stop()
  const without = await gateway.start(false)
  await without.put('again', 'again')
  await without.put('lost', 'lost')
  await without.buckets.setCopyPolicy('photos', { defaultCopies: 3 })
  await without.put('raised', 'raised')
  const added = await without.put('new', 'new')
  await without.stop()
  keeper.needed.length = 0
  const back = await gateway.start(true)
  const told = keeper.needed.map(({ id, reason, targetCopies }) => [id, reason, targetCopies]).sort()
  expect(told).toEqual([
    [again.contentId, 'stored', 2],
    [raised.contentId, 'missed', 3],
    [lost.contentId, 'missed', 2],
    [added.contentId, 'missed', 3],
  ])
  expect((await contentRows(back)).map(({ store }) => store)).toEqual(['stored', 'storing', 'unstored', 'stored', 'unstored'])
  await back.stop()
  keeper.needed.length = 0
  await (await gateway.start(true)).stop()
  expect(keeper.needed).toEqual([])
})

test('more contents than a page are caught up, and a content that is deleted after its page was read is left out', async () => {
  const gateway = await openGateway()
  const { keeper } = gateway
  await (await gateway.start(true)).stop()
  const without = await gateway.start(false)
  const kept: ObjectVersion[] = []
  for (let n = 0; n < 210; n++) kept.push(await without.put(`k${n}`, `bytes ${n}`))
  await without.stop()
  // Its row stays after the delete, because of this copy.
  keeper.copies.set(kept[0]?.contentId ?? 0, 1)
  const back = await gateway.open(true)
  const { read } = back.database
  let writes = 0
  const write: typeof back.database.write = async (body) => {
    writes += 1
    // The second transaction handles the first page, which was read before it.
    if (writes === 2) await back.versions.delete(at(kept[0] as ObjectVersion))
    return back.database.write(body)
  }
  await catchUp({ ...back, clock, database: { ...back.database, read, write } })
  expect(new Set(keeper.needed.map(({ id }) => id))).toEqual(new Set(kept.slice(1).map(({ contentId }) => contentId)))
  await back.stop()
})

test('cached bytes stay while the keeper that has the copies is absent, and can be evicted when it is back', async () => {
  const gateway = await openGateway()
  const first = await gateway.start(true)
  const version = await first.put('a', 'aaa')
  await gateway.keep(first, version)
  await first.database.write((tx) => updateReleasable(tx, version.contentId ?? 0))
  await first.stop()
  const without = await gateway.start(false)
  await without.cache.reconcileCapacity(signal)
  expect(await without.text('a')).toBe('aaa')
  await without.expectSound()
  await without.stop()
  const back = await gateway.start(true)
  await back.cache.reconcileCapacity(signal)
  expect(back.cache.stats().usedBytes).toBe(0)
  await back.expectSound()
  await back.stop()
})

test.runIf(runsOnSqlite())('what a keeper missed is found by partial indexes', async () => {
  await using storage = await openVersionStorage()
  const { read } = storage.database
  const texts: string[] = []
  const watched = watchStatements(read, (sql) => texts.push(sql))
  await deletedContents(watched, { after: 5, limit: 10 })
  await pageOfUnsettled(watched, { after: { bucketId: 1, storeState: 'failed', id: 5 }, limit: 10 })
  const plan = await queryPlan(read, texts)
  expect(plan.filter((step) => step.includes('SEARCH contents'))).toEqual([
    expect.stringContaining('contents_deleting'),
    expect.stringMatching(/^SEARCH .*contents_unsettled/),
  ])
  expect(plan.filter((step) => step.includes('SCAN'))).toEqual([])
})
