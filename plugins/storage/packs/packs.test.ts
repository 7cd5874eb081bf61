import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import type { ObjectVersion, PlacedMember } from '../contract.ts'
import { type ColdStorage, openColdStorage } from '../testing/cold-storage.ts'
import { chunksOf, readAll } from '../testing/object-storage.ts'
import { collectUpTo, packAll } from '../testing/packs.ts'
import { giveUncollected } from './uncollected.ts'

const openStorage = (databaseBytesMax = 0): Promise<ColdStorage> =>
  openColdStorage({ collector: collectUpTo(1000), databaseBytesMax, fillsOnRead: false })

/** Packs what waits, and gives the pack this many copies in the source. */
async function packAndStore(storage: ColdStorage, copies = 2): Promise<number> {
  const pack = await packAll(storage)
  if (!pack) throw new Error('no pack was made')
  storage.source.copies.set(pack.packId, pack.bytes)
  await setCopies(storage, pack.packId, copies)
  return pack.packId
}

async function setCopies({ keeper, database, contents }: ColdStorage, packId: number, copies: number): Promise<void> {
  if (copies > 0) keeper.copies.set(packId, copies)
  else keeper.copies.delete(packId)
  await database.write((tx) => contents.recount(tx, [packId], 1))
}

const idOf = ({ contentId }: ObjectVersion): number => contentId ?? 0
const contentOf = ({ database }: ColdStorage, id: number) =>
  getRow(
    database.read,
    'select state, store_state, durable_copies, readable_copies, target_copies, hold_count from contents where id = ?',
    id,
  )
const isReleasable = async ({ database }: ColdStorage, id: number) =>
  (await getRow<{ releasable: number }>(database.read, 'select releasable from cache_entries where content_id = ?', id))?.releasable === 1
const text = async (storage: ColdStorage, key: string, range?: { readonly start: number; readonly end: number }) =>
  Buffer.from(await readAll(await storage.objects.open('photos', key), range)).toString()

test.each([0, 16_384])('members of a pack are read from it by range after their cached bytes are gone (database bytes %i)', async (max) => {
  await using storage = await openStorage(max)
  const versions = [await storage.put('a', 'first'), await storage.put('b', 'the second'), await storage.put('c', 'third')]
  expect(storage.keeper.needed).toEqual([])
  const packId = await packAndStore(storage)
  expect(storage.keeper.needed.map(({ id, targetCopies, reason }) => ({ id, targetCopies, reason }))).toEqual([
    { id: packId, targetCopies: 2, reason: 'new' },
  ])
  await storage.expectSound()
  for (const version of versions) expect(await storage.cache.evict(idOf(version))).toBeGreaterThan(0)
  await storage.packs.releaseFile(packId)
  expect(await getRow(storage.database.read, 'select count(*) as n from cache_entries')).toEqual({ n: 0 })
  expect([await text(storage, 'a'), await text(storage, 'b'), await text(storage, 'c')]).toEqual(['first', 'the second', 'third'])
  expect(await text(storage, 'b', { start: 4, end: 5 })).toBe('se')
  expect(await text(storage, 'b', { start: 4, end: 99 })).toBe('second')
  await storage.expectSound()
})

test('I-02: bytes that wait, or whose pack has too few copies, stay in the cache', async () => {
  await using storage = await openStorage()
  const id = idOf(await storage.put('a', 'bytes'))
  await storage.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1'))
  expect(await storage.cache.evict(id)).toBe(0)
  const packId = await packAndStore(storage, 1)
  expect([await isReleasable(storage, id), await storage.cache.evict(id)]).toEqual([false, 0])
  await setCopies(storage, packId, 2)
  expect(await isReleasable(storage, id)).toBe(true)
  await storage.database.write((tx) => storage.contents.awaitProof(tx, packId))
  expect([await isReleasable(storage, id), await storage.cache.evict(id)]).toEqual([false, 0])
  await storage.database.write(async (tx) => {
    await storage.contents.confirmCopies(tx, packId)
    await storage.contents.recount(tx, [packId], 1)
  })
  expect(await isReleasable(storage, id)).toBe(true)
  await storage.database.write((tx) => storage.contents.subtractCopies(tx, [packId], 1))
  expect([await isReleasable(storage, id), await storage.cache.evict(id)]).toEqual([false, 0])
  expect(await contentOf(storage, id)).toMatchObject({ durable_copies: 1, readable_copies: 1 })
})

test('I-19: the state and the copies of members are those of their pack, up and down', async () => {
  await using storage = await openStorage()
  const ids = [idOf(await storage.put('a', 'one')), idOf(await storage.put('b', 'two'))]
  const packId = await packAndStore(storage, 0)
  for (const [copies, state] of [
    [0, 'unstored'],
    [1, 'storing'],
    [2, 'stored'],
    [1, 'storing'],
  ] as const) {
    await setCopies(storage, packId, copies)
    for (const id of [packId, ...ids]) {
      expect(await contentOf(storage, id)).toMatchObject({ durable_copies: copies, readable_copies: copies, store_state: state })
    }
    await storage.expectSound()
  }
  // A recount of a member does not change it: the keepers do not know it.
  await storage.database.write((tx) => storage.contents.recount(tx, ids, 1))
  expect(await contentOf(storage, ids[0] ?? 0)).toMatchObject({ durable_copies: 1 })
})

test('a deleted member is gone at once, and the last one takes the pack with it', async () => {
  await using storage = await openStorage()
  const [a, b] = [await storage.put('a', 'one'), await storage.put('b', 'two')]
  const packId = await packAndStore(storage)
  await storage.packs.releaseFile(packId)
  await storage.versions.delete({ bucket: 'photos', key: 'a', versionId: a.versionId })
  expect(storage.keeper.released).toEqual([])
  expect(await contentOf(storage, idOf(a))).toBeUndefined()
  expect(await contentOf(storage, packId)).toMatchObject({ state: 'live', hold_count: 1 })
  await storage.versions.delete({ bucket: 'photos', key: 'b', versionId: b.versionId })
  expect(storage.keeper.released).toEqual([packId])
  expect(await contentOf(storage, packId)).toMatchObject({ state: 'deleting', hold_count: 0 })
  storage.keeper.copies.delete(packId)
  await storage.database.write((tx) => storage.contents.recount(tx, [packId], 1))
  expect(await allRows(storage.database.read, 'select id from contents')).toEqual([])
  await storage.buckets.delete('photos')
})

test('the last member is deleted while its pack is cached: the file of the pack is removed', async () => {
  await using storage = await openStorage()
  const a = await storage.put('a', 'one')
  const packId = await packAndStore(storage, 0)
  await storage.versions.delete({ bucket: 'photos', key: 'a', versionId: a.versionId })
  expect(storage.scheduled).toContain(`finish eviction ${packId}`)
  await storage.cache.finishRelease(packId)
  expect(storage.cache.stats().usedBytes).toBe(0)
  expect(storage.files()).toEqual([])
  await storage.expectSound()
})

test('a content that is deleted while it waits leaves nothing, and one that is deleted during the write is no member', async () => {
  await using storage = await openStorage()
  const [a, b] = [await storage.put('a', 'one'), await storage.put('b', 'two')]
  await storage.versions.delete({ bucket: 'photos', key: 'a', versionId: a.versionId })
  const { packs } = storage
  async function* body() {
    yield Buffer.alloc(300)
    await storage.versions.delete({ bucket: 'photos', key: 'b', versionId: b.versionId })
  }
  expect(await packs.create({ bucketId: 1, body: body(), members: () => [{ contentId: idOf(b), offset: 32 }] })).toBeUndefined()
  expect(storage.files()).toEqual([])
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  await storage.expectSound()
})

test('equal bytes are one member, and a further version raises the target of the pack', async () => {
  await using storage = await openStorage()
  const a = await storage.put('a', 'same')
  expect(idOf(await storage.put('b', 'same'))).toBe(idOf(a))
  expect(await storage.packs.sumWaiting(storage.database.read, 1)).toMatchObject({ contents: 1, bytes: 4 })
  const packId = await packAndStore(storage)
  await storage.buckets.setCopyPolicy('photos', { defaultCopies: 3 })
  await storage.put('c', 'same')
  expect(storage.keeper.needed.at(-1)).toMatchObject({ id: packId, targetCopies: 3, reason: 'raised' })
  expect(await contentOf(storage, packId)).toMatchObject({ target_copies: 3 })
})

test('I-20: when a pack is lost, members without cached bytes are lost, and bytes that are put again wait for another pack', async () => {
  await using storage = await openStorage()
  const [a, b] = [idOf(await storage.put('a', 'one')), idOf(await storage.put('b', 'two'))]
  const packId = await packAndStore(storage)
  await storage.packs.releaseFile(packId)
  await storage.cache.evict(a)
  storage.source.copies.delete(packId)
  await setCopies(storage, packId, 0)
  expect([await contentOf(storage, packId), await contentOf(storage, a), await contentOf(storage, b)]).toMatchObject([
    { store_state: 'lost' },
    { store_state: 'lost' },
    { store_state: 'unstored' },
  ])
  await storage.expectSound()
  expect(idOf(await storage.put('a', 'one'))).toBe(a)
  expect(await storage.packs.listWaiting(storage.database.read, { bucketId: 1, after: 0, limit: 9 })).toMatchObject([{ contentId: a }])
  const second = await packAndStore(storage)
  expect(await contentOf(storage, a)).toMatchObject({ store_state: 'stored', durable_copies: 2 })
  expect(second).not.toBe(packId)
  await storage.expectSound()
})

test('I-31: a wrong place or other bytes are refused before a byte of the member is sent', async () => {
  await using storage = await openStorage()
  const bytes = randomBytes(900)
  const id = idOf(await storage.put('a', bytes))
  const packId = await packAndStore(storage)
  await storage.cache.evict(id)
  const pack = storage.source.copies.get(packId) ?? Buffer.alloc(0)
  async function received(): Promise<number> {
    await using opened = await storage.objects.open('photos', 'a')
    let count = 0
    await expect(async () => {
      for await (const block of opened.read()) count += block.length
    }).rejects.toMatchObject({ code: 'content_unavailable' })
    return count
  }
  for (const damage of [0, 31, 32, 931]) {
    const wrong = Buffer.from(pack)
    wrong[damage] = (wrong[damage] ?? 0) ^ 1
    storage.source.copies.set(packId, wrong)
    expect(await received()).toBe(0)
  }
  storage.source.copies.set(packId, pack)
  expect(await readAll(await storage.objects.open('photos', 'a'))).toEqual(bytes)
})

test('without a collector at a start, the contents that wait are given to the keepers', async () => {
  await using storage = await openStorage()
  const ids = [idOf(await storage.put('a', 'one')), idOf(await storage.put('b', 'two'))]
  await giveUncollected(storage.database, storage.packs)
  expect(storage.keeper.needed.map(({ id, reason }) => [id, reason])).toEqual(ids.map((id) => [id, 'new']))
  expect(await packAll(storage)).toBeUndefined()
  await storage.expectSound()
})

test('only the last member of a pack is busy while the pack is being stored', async () => {
  await using storage = await openStorage()
  const [a, b] = [await storage.put('a', 'one'), await storage.put('b', 'two')]
  const packId = await packAndStore(storage, 0)
  storage.keeper.busy.add(packId)
  await storage.versions.deletePermanently({ bucket: 'photos', key: 'a', versionId: a.versionId })
  await expect(storage.versions.deletePermanently({ bucket: 'photos', key: 'b', versionId: b.versionId })).rejects.toMatchObject({
    code: 'object_storage_busy',
  })
  await storage.expectSound()
})

test('I-20: members move to another pack only when it has all its copies, and their old packs end', async () => {
  await using storage = await openStorage()
  const { packs, database } = storage
  const [a, b, c] = [await storage.put('a', 'one'), await storage.put('b', 'two'), await storage.put('c', 'three')]
  const first = await packAndStore(storage)
  const d = await storage.put('d', 'four')
  const second = await packAndStore(storage)
  await storage.versions.delete({ bucket: 'photos', key: 'b', versionId: b.versionId })
  const texts = [
    [a, 'one'],
    [c, 'three'],
    [d, 'four'],
  ] as const
  const placed: PlacedMember[] = []
  const blocks: Buffer[] = []
  let at = 0
  for (const [version, text] of texts) {
    const bytes = Buffer.from(text)
    blocks.push(createHash('sha256').update(bytes).digest(), bytes)
    placed.push({ contentId: idOf(version), offset: at + 32 })
    at += 32 + bytes.length
  }
  const bytes = Buffer.concat([...blocks, Buffer.alloc(100)])
  const third = await packs.createNext({ bucketId: 1, body: chunksOf(bytes), targetCopies: 1 })
  expect(storage.keeper.needed.at(-1)).toMatchObject({ id: third, reason: 'new' })
  await storage.expectSound()
  const move = () => database.write((tx) => packs.move(tx, { packId: third, members: placed }))
  storage.source.copies.set(third, bytes)
  await setCopies(storage, third, 1)
  // One copy was enough for it, and is too few for the members.
  expect(await move()).toBe(false)
  expect(storage.keeper.needed.at(-1)).toMatchObject({ id: third, reason: 'raised', targetCopies: 2 })
  await setCopies(storage, third, 1)
  expect(await move()).toBe(false)
  await setCopies(storage, third, 2)
  await storage.versions.delete({ bucket: 'photos', key: 'c', versionId: c.versionId })
  expect(await move()).toBe(true)
  expect(storage.keeper.released).toEqual([first, second])
  expect(await contentOf(storage, third)).toMatchObject({ target_copies: 2, hold_count: 1, state: 'live' })
  for (const [version] of [texts[0], texts[2]]) await storage.cache.evict(idOf(version))
  await packs.releaseFile(third)
  expect([await text(storage, 'a'), await text(storage, 'd')]).toEqual(['one', 'four'])
  await storage.expectSound()
  expect(await move()).toBe(true)
  await storage.expectSound()
})

test('a pack whose members all died before the move ends with it', async () => {
  await using storage = await openStorage()
  const a = await storage.put('a', 'one')
  await packAndStore(storage)
  const next = await storage.packs.createNext({ bucketId: 1, body: chunksOf(Buffer.alloc(200)), targetCopies: 2 })
  await storage.versions.delete({ bucket: 'photos', key: 'a', versionId: a.versionId })
  await setCopies(storage, next, 2)
  const move = { packId: next, members: [{ contentId: idOf(a), offset: 32 }] }
  expect(await storage.database.write((tx) => storage.packs.move(tx, move))).toBe(true)
  expect(await contentOf(storage, next)).toMatchObject({ state: 'deleting', hold_count: 0 })
  await storage.expectSound()
})

test('a deleted bucket ends the packs that were written to replace others', async () => {
  await using storage = await openStorage()
  const next = await storage.packs.createNext({ bucketId: 1, body: chunksOf(Buffer.alloc(200)), targetCopies: 2 })
  storage.keeper.copies.set(next, 1)
  await storage.buckets.delete('photos')
  expect(storage.keeper.released).toEqual([next])
  expect(await contentOf(storage, next)).toMatchObject({ state: 'deleting' })
})

test('parts of a larger object can be members: its state follows them, and it is read from their packs', async () => {
  const parts = { bytesMax: 400, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 }
  await using storage = await openColdStorage({ collector: collectUpTo(1000), fillsOnRead: false, parts })
  const bytes = randomBytes(900)
  const whole = await storage.put('whole', bytes)
  // The same bytes as its last part.
  const last = await storage.put('last', bytes.subarray(800))
  const packId = await packAndStore(storage, 1)
  expect(await contentOf(storage, idOf(whole))).toMatchObject({ store_state: 'storing', durable_copies: 1 })
  await setCopies(storage, packId, 2)
  expect(await contentOf(storage, idOf(whole))).toMatchObject({ store_state: 'stored', durable_copies: 2, readable_copies: 2 })
  for (const { id } of await allRows<{ id: number }>(storage.database.read, 'select content_id as id from cache_entries')) {
    await storage.cache.evict(id)
  }
  expect(await readAll(await storage.objects.open('photos', 'whole'))).toEqual(bytes)
  await storage.expectSound()
  await storage.versions.delete({ bucket: 'photos', key: 'whole', versionId: whole.versionId })
  expect(storage.keeper.released).toEqual([])
  expect(await readAll(await storage.objects.open('photos', 'last'))).toEqual(bytes.subarray(800))
  await storage.versions.delete({ bucket: 'photos', key: 'last', versionId: last.versionId })
  expect(storage.keeper.released).toEqual([packId])
  await storage.expectSound()
})
