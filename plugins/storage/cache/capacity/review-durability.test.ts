import { expect, test } from 'vitest'
import type { Database } from '#kernel'
import { allRows, checkTaskKind, LeaseLost, watchProbes } from '#kernel/testing'
import { updateReleasable } from '../../catalog/cached/releasable-store.ts'
import { openVersionStorage, type VersionStorage } from '../../testing/version-storage.ts'
import { reviewDurabilityTask } from '../../upkeep/review-durability-task.ts'
import { reviewDurability } from './review-durability.ts'

const { signal } = new AbortController()

/** Puts an object with `copies` committed copies. `isReleasableUpdated: false` leaves the cache entry's `releasable` stale. */
async function putStored(storage: VersionStorage, key: string, copies: number, { isReleasableUpdated = true } = {}): Promise<number> {
  const version = await storage.put(key, `bytes of ${key}`)
  for (let slot = 0; slot < copies; slot++) {
    await storage.keep(version)
  }
  const contentId = version.contentId ?? 0
  if (isReleasableUpdated) await storage.database.write((tx) => updateReleasable(tx, contentId))
  return contentId
}

const releasable = async ({ database }: VersionStorage): Promise<readonly number[]> =>
  (await allRows<{ id: number }>(database.read, 'select content_id as id from cache_entries where releasable = 1 order by 1')).map(
    ({ id }) => id,
  )

async function review(storage: VersionStorage): Promise<number> {
  let pagesChanged = 0
  await reviewDurability(storage.database, { bucketId: idOf(storage), onUpdated: async () => void pagesChanged++ }, signal)
  return pagesChanged
}

const idOf = (storage: VersionStorage): number => storage.buckets.require('photos').id

test('lowering the minimum makes contents releasable, and raising it makes them unreleasable again', async () => {
  await using storage = await openVersionStorage()
  const [one, two] = [await putStored(storage, 'one', 1), await putStored(storage, 'two', 2)]
  await putStored(storage, 'none', 0)
  expect(await releasable(storage)).toEqual([two])
  await storage.buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  await review(storage)
  expect(await releasable(storage)).toEqual([one, two])
  await storage.buckets.setCopyPolicy('photos', { defaultCopies: 3, minimumDurableCopies: 3 })
  await review(storage)
  expect(await releasable(storage)).toEqual([])
  await storage.expectSound()
})

test.each([1, 2, 3])(
  'I-02: with a minimum of %i of three copies, cached bytes leave with the commit of that copy and not before',
  async (minimum) => {
    await using storage = await openVersionStorage()
    const { cache, contents, database, keeper } = storage
    await storage.buckets.setCopyPolicy('photos', { defaultCopies: 3, minimumDurableCopies: minimum })
    const { contentId = null, size } = await storage.put('photo', 'bytes')
    if (contentId === null) throw new Error('the version has no content')
    for (let copies = 1; copies <= minimum; copies++) {
      expect(await cache.evict(contentId)).toBe(0)
      keeper.copies.set(contentId, copies)
      await database.write((tx) => contents.recount(tx, [contentId], 0))
    }
    expect(await cache.evict(contentId)).toBe(size)
  },
)

test('I-02: a raised minimum prevents eviction from its commit on, before the review runs', async () => {
  await using storage = await openVersionStorage()
  const contentId = await putStored(storage, 'two', 2)
  await storage.buckets.setCopyPolicy('photos', { defaultCopies: 3, minimumDurableCopies: 3 })
  expect(await releasable(storage)).toEqual([contentId])
  expect(await storage.cache.evict(contentId)).toBe(0)
  await storage.buckets.setCopyPolicy('photos', { minimumDurableCopies: 2 })
  expect(await storage.cache.evict(contentId)).toBe('bytes of two'.length)
})

test('bytes put again for a stored content are releasable at once', async () => {
  await using storage = await openVersionStorage()
  const contentId = await putStored(storage, 'two', 2)
  expect(await storage.cache.evict(contentId)).toBeGreaterThan(0)
  await storage.put('again', 'bytes of two')
  expect(await releasable(storage)).toEqual([contentId])
})

test('entries of other buckets are unchanged, also with more than a page of them in between', async () => {
  await using storage = await openVersionStorage({ sizes: { bytesMin: 1, bytesMax: 1024 } })
  const first = await putStored(storage, 'first', 1)
  await storage.buckets.create({ name: 'others', ownerAccessKey: null })
  const others = Array.from({ length: 600 }, (_, place) => storage.put(`other ${place}`, `other ${place}`, { bucket: 'others' }))
  await Promise.all(others)
  const last = await putStored(storage, 'last', 1)
  const other = await storage.put('stored', 'stored', { bucket: 'others' })
  await storage.keep(other)
  await storage.buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  await storage.buckets.setCopyPolicy('others', { minimumDurableCopies: 1 })
  await review(storage)
  expect(await releasable(storage)).toEqual([first, last])
})

test('I-07: an aborted review stops at its current page', async () => {
  await using storage = await openVersionStorage()
  await putStored(storage, 'one', 1)
  const abort = new AbortController()
  using probes = watchProbes()
  const held = probes.holdAt('cache.durability.page-reviewed')
  const review = reviewDurability(storage.database, { bucketId: idOf(storage), onUpdated: async () => {} }, abort.signal)
  await held.reached
  abort.abort(new Error('aborted by test'))
  held.release()
  await expect(review).rejects.toThrow('aborted by test')
})

test('I-06: a review that lost its lease changes nothing', async () => {
  await using storage = await openVersionStorage()
  await putStored(storage, 'two', 2, { isReleasableUpdated: false })
  const run = reviewDurabilityTask.run as unknown as (run: object) => Promise<unknown>
  const fence = ({ read }: Database) => ({ read, write: () => Promise.reject(new LeaseLost({ id: 1, kind: 'review', seq: 1 })) })
  const services = { database: storage.database, queue: { add: async () => 1 } }
  const reviewed = run({ args: { bucketId: idOf(storage), bucket: 'photos' }, services, signal, fence })
  await expect(reviewed).rejects.toThrow(LeaseLost)
  expect(await releasable(storage)).toEqual([])
})

test('I-09: the task may be run again from its start', async () => {
  await using storage = await openVersionStorage()
  await putStored(storage, 'two', 2, { isReleasableUpdated: false })
  await checkTaskKind({
    kind: reviewDurabilityTask,
    args: { bucketId: idOf(storage), bucket: 'photos' },
    services: { database: storage.database, queue: { add: async () => 1 } },
    snapshot: () => releasable(storage),
  })
  expect(await releasable(storage)).toHaveLength(1)
})
