import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, getRow, runSql, silentLog } from '#kernel/testing'
import type { ObjectVersion } from '../contract.ts'
import { loseFiles } from '../testing/lose-files.ts'
import { chunksOf, plainHeaders, readAll } from '../testing/object-storage.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { dropAbandonedParts } from './held-parts.ts'

const bytesMax = 1024
const parts = { bytesMax, roomWaitMs: 10_000, roomWaitMsMax: 10_000, roomPollMs: 5 }
const sizes = { bytesMin: 0, bytesMax: 1024 * 1024 }

const open = (options: Parameters<typeof openVersionStorage>[0] = {}) => openVersionStorage({ sizes, parts, ...options })

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const read = async (storage: VersionStorage, key: string, range?: { start: number; end: number }) =>
  Buffer.from(await readAll(await storage.objects.open('photos', key), range))
const rowsOf = (storage: VersionStorage) =>
  allRows<{ id: number; size: number; part_count: number; ref_count: number; hold_count: number; state: string; store_state: string }>(
    storage.database.read,
    'select id, size, part_count, ref_count, hold_count, state, store_state from contents order by id',
  )
const partIds = async ({ database }: VersionStorage, { contentId }: ObjectVersion) =>
  (
    await allRows<{ id: number }>(
      database.read,
      'select part_content_id as id from content_parts where content_id = ? order by part_no',
      contentId,
    )
  ).map(({ id }) => id)
const filesOf = async ({ dir }: VersionStorage) =>
  (await readdir(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

/** The keeper stores the content completely. */
async function store({ keeper, database, contents }: VersionStorage, contentId: number, copies = 2): Promise<void> {
  keeper.copies.set(contentId, copies)
  await database.write((tx) => contents.recount(tx, [contentId], Date.now()))
}

test.each([
  ['declared', bytesMax + 1, true],
  ['declared', 5 * bytesMax, true],
  ['of unknown length', 3 * bytesMax + 7, false],
])('an object %s of %i bytes is stored as contents of at most one piece, and read whole and in ranges', async (_, size, isDeclared) => {
  await using storage = await open()
  const bytes = randomBytes(size)
  let seen: unknown
  const version = await storage.objects.put({
    bucket: 'photos',
    key: 'k',
    body: chunksOf(bytes, 300),
    headers: plainHeaders,
    ...(isDeclared && { size }),
    verify: (digests) => {
      seen = digests
      return { sum: 'x' }
    },
  })
  expect(seen).toEqual({ size, md5: md5(bytes), sha256: createHash('sha256').update(bytes).digest('hex') })
  expect(version).toMatchObject({ size, etag: md5(bytes), headers: { checksums: { sum: 'x' } } })
  const count = Math.ceil(size / bytesMax)
  expect(await partIds(storage, version)).toHaveLength(count)
  expect(storage.keeper.needed.map((content) => content.size)).toEqual([
    ...Array.from({ length: count - 1 }, () => bytesMax),
    size - (count - 1) * bytesMax,
  ])
  expect((await read(storage, 'k')).equals(bytes)).toBe(true)
  for (const [start, end] of [
    [0, 0],
    [bytesMax - 1, bytesMax],
    [bytesMax, bytesMax],
    [10, size - 1],
    [size - 1, size - 1],
  ] as const) {
    expect((await read(storage, 'k', { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true)
  }
  await storage.expectSound()
})

test('a body of unknown length that fits into one piece, or is empty, is one content', async () => {
  await using storage = await open()
  for (const size of [0, 1, bytesMax]) {
    const bytes = randomBytes(size)
    const version = await storage.objects.put({ bucket: 'photos', key: `k${size}`, body: chunksOf(bytes), headers: plainHeaders })
    expect(version).toMatchObject({ size, etag: md5(bytes) })
    expect((await read(storage, `k${size}`)).equals(bytes)).toBe(true)
  }
  expect((await rowsOf(storage)).map(({ part_count }) => part_count)).toEqual([0, 0, 0])
  await storage.expectSound()
})

test('equal parts are stored once, equal objects share everything, and deletes release parts with their last reference', async () => {
  await using storage = await open()
  const { versions, keeper } = storage
  const zeros = Buffer.alloc(3 * bytesMax)
  const [a, b, c] = [randomBytes(bytesMax), randomBytes(bytesMax), randomBytes(100)]
  const first = await storage.put('zeros', zeros)
  expect(new Set(await partIds(storage, first)).size).toBe(1)
  const one = await storage.put('one', Buffer.concat([a, b, c]))
  const same = await storage.put('same', Buffer.concat([a, b, c]))
  expect(same.contentId).toBe(one.contentId)
  const other = await storage.put('other', Buffer.concat([b, a]))
  const whole = await storage.put('whole', a)
  const [aId, bId, cId] = await partIds(storage, one)
  expect(await partIds(storage, other)).toEqual([bId, aId])
  expect(whole.contentId).toBe(aId)
  await storage.expectSound()
  for (const id of [aId, bId, cId]) keeper.copies.set(id ?? 0, 1)
  const remove = ({ key, versionId }: ObjectVersion) => versions.deletePermanently({ bucket: 'photos', key, versionId })
  expect(await remove(one)).toEqual({ cacheRelease: 'retained', cleanupTaskIds: [] })
  expect(await remove(same)).toEqual({ cacheRelease: 'released', cleanupTaskIds: [(cId ?? 0) * 100] })
  await storage.expectSound()
  expect(await remove(other)).toEqual({ cacheRelease: 'released', cleanupTaskIds: [(bId ?? 0) * 100] })
  expect((await read(storage, 'whole')).equals(a)).toBe(true)
  expect(await remove(whole)).toEqual({ cacheRelease: 'released', cleanupTaskIds: [(aId ?? 0) * 100] })
  expect(keeper.released).toEqual([cId, bId, aId])
  expect((await read(storage, 'zeros')).equals(zeros)).toBe(true)
  await remove(first)
  expect((await rowsOf(storage)).filter(({ state }) => state === 'live')).toEqual([])
  expect(await filesOf(storage)).toBe(0)
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('a permanent delete is refused while a part without another reference is being stored', async () => {
  await using storage = await open()
  const { versions, keeper } = storage
  const [a, b] = [randomBytes(bytesMax), randomBytes(10)]
  const version = await storage.put('k', Buffer.concat([a, b]))
  const [aId = 0, bId = 0] = await partIds(storage, version)
  const place = { bucket: 'photos', key: 'k', versionId: version.versionId }
  keeper.busy.add(bId)
  await expect(versions.deletePermanently(place)).rejects.toMatchObject({ code: 'object_storage_busy', status: 409 })
  expect((await read(storage, 'k')).length).toBe(bytesMax + 10)
  await storage.expectSound()
  keeper.busy.clear()
  // Busy, but kept by its own object.
  keeper.busy.add(aId)
  await storage.put('a', a)
  expect(await versions.deletePermanently(place)).toMatchObject({ cacheRelease: 'released' })
  await storage.expectSound()
})

test('the state and the copies of an object are those of its worst part', async () => {
  await using storage = await open()
  const version = await storage.put('k', randomBytes(2 * bytesMax + 5))
  const [first = 0, second = 0, third = 0] = await partIds(storage, version)
  const state = () =>
    getRow(storage.database.read, 'select store_state, durable_copies, readable_copies from contents where id = ?', version.contentId)
  expect(await state()).toEqual({ store_state: 'unstored', durable_copies: 0, readable_copies: 0 })
  await store(storage, first, 1)
  expect(await state()).toMatchObject({ store_state: 'storing', durable_copies: 0 })
  for (const id of [first, second, third]) await store(storage, id, 2)
  expect(await state()).toEqual({ store_state: 'stored', durable_copies: 2, readable_copies: 2 })
  await store(storage, second, 1)
  expect(await state()).toEqual({ store_state: 'storing', durable_copies: 1, readable_copies: 1 })
  await storage.expectSound()
  await store(storage, second, 0)
  await loseFiles(storage, second)
  expect(await state()).toMatchObject({ store_state: 'lost' })
  const read = async (range?: { start: number; end: number }) => readAll(await storage.objects.open('photos', 'k'), range)
  await expect(read()).rejects.toMatchObject({ code: 'content_unavailable' })
  await expect(read({ start: bytesMax - 1, end: bytesMax })).rejects.toMatchObject({ code: 'content_unavailable' })
  for (const start of [3, 2 * bytesMax]) expect(await read({ start, end: start + 4 })).toHaveLength(5)
  await storage.expectSound()
})

const runSqlIn = ({ database }: VersionStorage, text: string, ...values: number[]) => database.write((tx) => runSql(tx, text, ...values))

test('an object larger than the cache is put: its parts leave the cache while the rest arrives, and it is read from both places', async () => {
  const taken: number[] = []
  const kept = new Map<number, Buffer>()
  await using storage = await open({
    maxBytes: 3 * bytesMax,
    openUncached: async (version, contentId) => ({
      version,
      source: 'provider',
      async *read({ start, end } = { start: 0, end: version.size - 1 }) {
        taken.push(contentId)
        yield (kept.get(contentId) ?? Buffer.alloc(0)).subarray(start, end + 1)
      },
      async [Symbol.asyncDispose]() {},
    }),
  })
  const { keeper, cache } = storage
  const bytes = randomBytes(10 * bytesMax + 100)
  let highest = 0
  async function* body() {
    let stored = 0
    for await (const chunk of chunksOf(bytes, 512)) {
      highest = Math.max(highest, cache.stats().usedBytes + cache.stats().reservedBytes)
      yield chunk
      // A provider takes every committed part at the same time.
      for (const { id, size } of keeper.needed.slice(stored)) {
        kept.set(id, bytes.subarray(stored * bytesMax, stored * bytesMax + size))
        await store(storage, id)
        stored += 1
      }
    }
  }
  const evicting = setInterval(() => void cache.reconcileCapacity(new AbortController().signal), 10)
  const version = await storage.objects
    .put({ bucket: 'photos', key: 'large', body: body(), size: bytes.length, headers: plainHeaders })
    .finally(() => clearInterval(evicting))
  expect(highest).toBeLessThanOrEqual(3 * bytesMax)
  for (const [at, id] of (await partIds(storage, version)).entries()) kept.set(id, bytes.subarray(at * bytesMax, (at + 1) * bytesMax))
  expect((await read(storage, 'large')).equals(bytes)).toBe(true)
  expect(taken.length).toBeGreaterThanOrEqual(8)
  taken.length = 0
  expect((await read(storage, 'large', { start: 1500, end: 2500 })).equals(bytes.subarray(1500, 2501))).toBe(true)
  expect(taken).toEqual((await partIds(storage, version)).slice(1, 3))
  await storage.expectSound()
})

test('without room within the time the put is refused and leaves nothing', async () => {
  await using storage = await open({ maxBytes: 2 * bytesMax, parts: { ...parts, roomWaitMs: 30, roomWaitMsMax: 30 } })
  await expect(storage.put('k', randomBytes(5 * bytesMax))).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  expect(await rowsOf(storage)).toEqual([])
  expect(await filesOf(storage)).toBe(0)
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  await storage.expectSound()
})

test.each([
  ['the body breaks off', { body: broken() }, 'client disconnected'],
  ['the body is shorter than declared', { size: 4 * bytesMax + 10 }, 'the body ended after'],
  ['the body is longer than declared', { size: 3 * bytesMax }, 'more than the declared'],
  ['the digest is refused', { verify: refuseDigest }, 'bad digest'],
  ['a condition fails', { condition: refuseDigest }, 'bad digest'],
])('when %s the parts are dropped and given up at once', async (_, request, message) => {
  await using storage = await open()
  const { keeper } = storage
  await expect(storage.put('k', randomBytes(4 * bytesMax), request)).rejects.toThrow(message)
  expect(keeper.needed.length).toBeGreaterThan(0)
  expect(await storage.objects.find('photos', 'k')).toBeUndefined()
  expect(await rowsOf(storage)).toEqual([])
  expect(await filesOf(storage)).toBe(0)
  expect(keeper.deleted).toEqual(keeper.needed.map(({ id }) => id))
  await storage.expectSound()
})

async function* broken() {
  yield randomBytes(3 * bytesMax)
  throw new Error('client disconnected')
}

function refuseDigest(): never {
  throw new Error('bad digest')
}

test('a body that fails exactly at the end of the first piece leaves no file', async () => {
  await using storage = await open()
  async function* body() {
    yield randomBytes(bytesMax)
    throw new Error('the client is gone')
  }
  const put = storage.objects.put({ bucket: 'photos', key: 'k', body: body(), headers: plainHeaders })
  await expect(put).rejects.toThrow('the client is gone')
  expect([await filesOf(storage), storage.cache.stats().usedBytes, storage.cache.stats().reservedBytes]).toEqual([0, 0, 0])
})

test('a failed put keeps the parts that another object has', async () => {
  await using storage = await open()
  const a = randomBytes(bytesMax)
  await storage.put('a', a)
  await expect(storage.put('k', Buffer.concat([a, randomBytes(50)]), { verify: refuseDigest })).rejects.toThrow('bad digest')
  expect((await read(storage, 'a')).equals(a)).toBe(true)
  expect(await rowsOf(storage)).toHaveLength(1)
  await storage.expectSound()
})

test('a restored version shares the parts, also of those that are not cached, and raises their copies', async () => {
  await using storage = await open()
  const { versions, keeper, buckets } = storage
  const first = await storage.put('k', randomBytes(2 * bytesMax))
  const [left = 0] = await partIds(storage, first)
  await store(storage, left)
  await storage.cache.evict(left)
  const second = await storage.put('k', 'other')
  await buckets.setCopyPolicy('photos', { defaultCopies: 3 })
  keeper.needed.length = 0
  const place = { bucket: 'photos', key: 'k', versionId: first.versionId }
  const restored = await versions.restore({ ...place, expectedCurrentVersionId: second.versionId })
  expect(restored).toMatchObject({ contentId: first.contentId, size: 2 * bytesMax })
  expect(keeper.needed.map(({ reason, targetCopies }) => [reason, targetCopies])).toEqual([
    ['raised', 3],
    ['raised', 3],
  ])
  await storage.expectSound()
  await versions.deletePermanently(place)
  expect((await rowsOf(storage)).find(({ part_count }) => part_count > 0)).toMatchObject({ ref_count: 1, state: 'live' })
  await storage.expectSound()
})

test('the parts of a put that a crash interrupted are dropped by the next start, and those of a running one are not', async () => {
  await using storage = await open()
  const { database, keeper } = storage
  let isDropped = false
  async function* body() {
    yield randomBytes(2 * bytesMax)
    await dropAbandonedParts({ ...storage, clock: systemClock, log: silentLog })
    isDropped = true
    expect((await rowsOf(storage)).every(({ hold_count }) => hold_count === 1)).toBe(true)
    yield randomBytes(10)
  }
  await storage.objects.put({ bucket: 'photos', key: 'k', body: body(), headers: plainHeaders })
  expect(isDropped).toBe(true)
  async function* second() {
    yield randomBytes(3 * bytesMax)
    await runSqlIn(storage, 'update held_parts set epoch = epoch - 1')
    await dropAbandonedParts({ ...storage, clock: systemClock, log: silentLog })
    throw new Error('crashed')
  }
  await expect(storage.objects.put({ bucket: 'photos', key: 'x', body: second(), headers: plainHeaders })).rejects.toThrow('crashed')
  expect(keeper.deleted).toHaveLength(3)
  expect(await getRow(database.read, 'select count(*) as n from held_parts')).toEqual({ n: 0 })
  await storage.expectSound()
})

test('the parts of a failed put that cannot be dropped at once are dropped within an hour, and keep the bucket until then', async () => {
  await using storage = await open()
  const { keeper, database, buckets, uploads } = storage
  const { has } = keeper.copies
  keeper.copies.has = () => {
    throw new Error('the keeper fails')
  }
  async function* body() {
    yield randomBytes(2 * bytesMax)
    throw new Error('the client left')
  }
  const put = storage.objects.put({ bucket: 'photos', key: 'k', body: body(), headers: plainHeaders })
  await expect(put).rejects.toThrow('the client left')
  expect(await getRow(database.read, 'select count(*) as n from held_parts')).toEqual({ n: 2 })
  await expect(buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty' })
  keeper.copies.has = has
  await uploads.expire(0, AbortSignal.timeout(60_000))
  expect(await filesOf(storage)).toBe(0)
  await storage.expectSound()
  await buckets.delete('photos')
})

test('a failed put whose parts cannot be dropped does not keep those of later ones, and is named in a warning', async () => {
  await using storage = await open()
  const { keeper, database, uploads } = storage
  const { has } = keeper.copies
  keeper.copies.has = () => {
    throw new Error('the keeper fails')
  }
  async function* body() {
    yield randomBytes(2 * bytesMax)
    throw new Error('the client left')
  }
  for (const key of ['a', 'b']) {
    const put = storage.objects.put({ bucket: 'photos', key, body: body(), headers: plainHeaders })
    await expect(put).rejects.toThrow('the client left')
  }
  const held = () =>
    allRows<{ holder: string; id: number }>(database.read, 'select holder, content_id as id from held_parts order by holder')
  const first = (await held())[0]
  keeper.copies.has = (contentId) => {
    if (contentId === first?.id) throw new Error('the keeper fails')
    return has.call(keeper.copies, contentId)
  }
  const warned: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields?: unknown) => void warned.push(fields) }
  await dropAbandonedParts({ ...storage, clock: systemClock, log })
  expect((await held()).map(({ holder }) => holder)).toEqual([first?.holder, first?.holder])
  expect(warned).toEqual([expect.objectContaining({ holder: first?.holder, error: expect.any(Error) })])
  const stopped = AbortSignal.abort(new Error('stopped'))
  await expect(dropAbandonedParts({ ...storage, clock: systemClock, log }, stopped)).rejects.toThrow('stopped')
  keeper.copies.has = has
  await uploads.expire(0, AbortSignal.timeout(60_000))
  expect(await held()).toEqual([])
  await storage.expectSound()
})
