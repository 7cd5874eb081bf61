/** Objects whose bytes are in the database. */
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { createCachedContents } from '../cache/cached-contents.ts'
import type { ObjectVersion } from '../contract.ts'
import { storageChecks } from '../doctor/checks.ts'
import { fixNames } from '../doctor/fix-names.ts'
import { storageFixes } from '../doctor/fixes.ts'
import { findingsOf } from '../testing/check-invariants.ts'
import { type ColdStorage, openColdStorage } from '../testing/cold-storage.ts'
import { chunksOf, plainHeaders, readAll } from '../testing/object-storage.ts'

const databaseBytesMax = 16 * 1024
const kib4 = 4 * 1024
let storage: ColdStorage

beforeEach(async () => {
  storage = await openColdStorage({ databaseBytesMax })
})

afterEach(() => storage[Symbol.asyncDispose]())

const rows = () =>
  allRows<{ id: number; length: number }>(storage.database.read, 'select content_id as id, length(bytes) as length from cache_bytes')
const read = async (key = 'k', range?: { readonly start: number; readonly end: number }) =>
  Buffer.from(await readAll(await storage.objects.open('photos', key), range))
const change = (sql: string, ...params: readonly (number | Uint8Array)[]) => storage.database.write((tx) => runSql(tx, sql, ...params))

/** Puts bytes that the source has too, so that they may be evicted. */
async function putKept(bytes: Uint8Array, key = 'k'): Promise<ObjectVersion & { readonly contentId: number }> {
  const { contentId, ...version } = await storage.put(key, bytes)
  const id = contentId ?? 0
  storage.source.copies.set(id, bytes)
  storage.keeper.copies.set(id, 2)
  await change('update contents set durable_copies = 2, readable_copies = 2 where id = ?', id)
  return { ...version, contentId: id }
}

test('I-01: a small object has its bytes in the database and no file, is counted, and is read whole, in ranges and after a restart', async () => {
  const bytes = randomBytes(databaseBytesMax)
  const { contentId } = await storage.put('k', bytes)
  expect(storage.files()).toEqual([])
  expect(await rows()).toEqual([{ id: contentId, length: databaseBytesMax }])
  expect(storage.cache.stats()).toMatchObject({ usedBytes: databaseBytesMax, reservedBytes: 0 })
  await storage.expectSound()
  // The first read fills the memory, which the second uses.
  for (let reads = 0; reads < 2; reads++) {
    expect((await read()).equals(bytes)).toBe(true)
    expect((await read('k', { start: 5, end: 9 })).equals(bytes.subarray(5, 10))).toBe(true)
  }
})

test('the checksum that was asked for is computed', async () => {
  const bytes = randomBytes(kib4)
  const digests: unknown[] = []
  const verify = (one: unknown) => {
    digests.push(one)
    return {}
  }
  await storage.put('k', bytes, { checksum: 'sha1', verify })
  expect(digests).toEqual([{ size: kib4, md5: hash('md5', bytes), sha256: hash('sha256', bytes), checksum: hash('sha1', bytes) }])
})

test('I-01: a restart finds the bytes and counts them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-small-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const bytes = randomBytes(kib4)
  const first = await openColdStorage({ dir, databaseBytesMax })
  await first.put('k', bytes)
  await first.stop()
  // Objects that are cached already stay where they are without the setting.
  await using second = await openColdStorage({ dir, dsn: first.dsn })
  expect(second.cache.stats().usedBytes).toBe(kib4)
  expect(Buffer.from(await readAll(await second.objects.open('photos', 'k'))).equals(bytes)).toBe(true)
})

test('larger objects and bodies of unknown length have files', async () => {
  await storage.put('large', randomBytes(databaseBytesMax + 1))
  const body = chunksOf(randomBytes(10), 3)
  await storage.objects.put({ bucket: 'photos', key: 'unknown', body, headers: plainHeaders })
  expect(await rows()).toEqual([])
  expect(storage.files()).toHaveLength(2)
  await storage.expectSound()
})

test('a body that is refused leaves neither rows nor reserved bytes', async () => {
  const refused = new Error('wrong digest')
  const verify = () => {
    throw refused
  }
  await expect(storage.put('k', randomBytes(kib4), { verify })).rejects.toBe(refused)
  await expect(storage.put('k', randomBytes(kib4), { size: kib4 + 1 })).rejects.toMatchObject({ code: 'incomplete_body' })
  await expect(storage.put('k', randomBytes(kib4), { size: kib4 - 1 })).rejects.toMatchObject({ code: 'incomplete_body' })
  expect(await rows()).toEqual([])
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
})

test('the digests are those of a body in any number of chunks', async () => {
  const bytes = randomBytes(kib4)
  const seen: unknown[] = []
  for (const chunkBytes of [kib4, 1000, 1]) {
    const verify = (digests: unknown) => {
      seen.push(digests)
      return {}
    }
    await storage.put('k', bytes, { body: chunksOf(bytes, chunkBytes), verify })
  }
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
  expect((await read()).equals(bytes)).toBe(true)
})

test('I-30: the same bytes again replace the cached ones, also those in the other place', async () => {
  const bytes = randomBytes(kib4)
  const { contentId } = await storage.put('k', bytes)
  await change('update cache_bytes set bytes = ? where content_id = ?', randomBytes(kib4), contentId ?? 0)
  await storage.put('other', bytes)
  expect((await read('other')).equals(bytes)).toBe(true)
  // A body of unknown length goes into a file.
  await storage.objects.put({ bucket: 'photos', key: 'third', body: chunksOf(bytes), headers: plainHeaders })
  expect(await rows()).toEqual([])
  expect(storage.files()).toHaveLength(1)
  await storage.put('fourth', bytes)
  expect(await rows()).toEqual([{ id: contentId, length: kib4 }])
  expect(storage.files()).toEqual([])
  expect(storage.cache.stats().usedBytes).toBe(kib4)
  await storage.expectSound()
})

test('I-02: an eviction deletes the bytes from the database; a cold read brings them back', async () => {
  const bytes = randomBytes(kib4)
  const version = await putKept(bytes)
  await storage.uncache(version)
  expect(await rows()).toEqual([])
  expect(await getRow(storage.database.read, 'select count(*) as n from cache_blobs')).toEqual({ n: 0 })
  expect(storage.cache.stats().usedBytes).toBe(0)
  expect(await storage.sourceOf('k')).toBe('provider')
  expect((await read()).equals(bytes)).toBe(true)
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  await storage.expectSound()
})

test('an eviction whose bytes are needed again is cancelled, and one that was interrupted is finished', async () => {
  const [needed, evicted] = [await putKept(randomBytes(kib4), 'needed'), await putKept(randomBytes(kib4), 'evicted')]
  await change(`update cache_entries set state = 'evicting'`)
  await change('update contents set durable_copies = 0, readable_copies = 0 where id = ?', needed.contentId)
  await storage.cache.startUpkeep()
  expect(await rows()).toEqual([{ id: needed.contentId, length: kib4 }])
  expect(await storage.sourceOf('needed')).toBe('cache')
  expect(await storage.sourceOf('evicted')).toBe('provider')
  expect(evicted.contentId).not.toBe(needed.contentId)
})

test('a deletion removes the bytes', async () => {
  const { versionId } = await storage.put('k', randomBytes(kib4))
  await storage.versions.delete({ bucket: 'photos', key: 'k', versionId })
  expect(await rows()).toEqual([])
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('a copy to another bucket has bytes of its own', async () => {
  const bytes = randomBytes(kib4)
  await storage.buckets.create({ name: 'other', ownerAccessKey: null })
  await storage.put('k', bytes)
  await storage.objects.copy({ source: { bucket: 'photos', key: 'k' }, target: { bucket: 'other', key: 'copy' } })
  expect(await rows()).toHaveLength(2)
  expect(storage.files()).toEqual([])
  expect(Buffer.from(await readAll(await storage.objects.open('other', 'copy'))).equals(bytes)).toBe(true)
  await storage.expectSound()
})

test('plugins that copy contents get the bytes', async () => {
  const bytes = randomBytes(kib4)
  const { contentId, ...version } = await storage.put('k', bytes)
  const cached = createCachedContents({ ...storage, reconcileCapacity: async () => {} })
  const file = await cached.locate(contentId ?? 0)
  expect(file).toMatchObject({ size: kib4, segments: [{ size: kib4 }] })
  expect(Buffer.compare(file?.segments[0]?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
  // They are missing, like a file: the content is lost until they are here again.
  await change('delete from cache_bytes')
  expect([await cached.locate(contentId ?? 0), await cached.isDamaged(contentId ?? 0)]).toEqual([undefined, true])
  expect(await getRow(storage.database.read, 'select store_state from contents')).toEqual({ store_state: 'lost' })
  await change('insert into cache_bytes (content_id, bytes) values (?, ?)', contentId ?? 0, bytes)
  expect([await cached.locate(contentId ?? 0), await cached.isDamaged(contentId ?? 0)]).toEqual([file, false])
  expect(version.size).toBe(kib4)
})

const flipped = `update cache_bytes set bytes = ? where content_id = ?`

test('I-30: damaged bytes are never served: the read uses a provider', async () => {
  const bytes = randomBytes(kib4)
  const { contentId } = await putKept(bytes)
  await change(flipped, randomBytes(kib4), contentId)
  expect((await read()).equals(bytes)).toBe(true)
  expect(storage.cache.stats().usedBytes % kib4).toBe(0)
  await storage.settled()
  await storage.expectSound()
})

const look = async (name: string) => {
  const check = storageChecks.find((one) => one.name === name)
  if (!check) throw new Error(`no check is named ${name}`)
  return findingsOf(check, storage.database.read, { settings: { dir: join(storage.dir, 'cache') } })
}

test.each([
  ['is missing', 'storage.cache-files', 'I-01', (id: number) => change('delete from cache_bytes where content_id = ?', id)],
  ['has 2 bytes instead of 4096', 'storage.cache-files', 'I-01', (id: number) => change(flipped, Buffer.from('no'), id)],
  ['has other bytes than were uploaded', 'storage.cache-bytes', 'I-01', (id: number) => change(flipped, randomBytes(kib4), id)],
])('the doctor finds that a content in the database %s, and removes it from the cache', async (message, name, invariant, damage) => {
  const { contentId } = await putKept(randomBytes(kib4))
  expect(await look(name)).toEqual([])
  await damage(contentId)
  const [finding, ...others] = await look(name)
  expect(others).toEqual([])
  expect(finding).toMatchObject({ severity: 'warning', invariant, message: expect.stringContaining(message), subject: { key: 'k' } })
  const fix = storageFixes.find(({ name: fixName }) => fixName === fixNames.forgetFile)
  const services = { database: storage.database, cache: storage.cache, settings: { dir: join(storage.dir, 'cache') } }
  expect(await fix?.apply(services, finding?.fix?.target ?? '')).toBe(true)
  expect(await look(name)).toEqual([])
  await storage.expectSound()
})

test('I-23: bytes that no blob records are found, and the next upload of them removes them', async () => {
  const bytes = randomBytes(kib4)
  await storage.objects.put({ bucket: 'photos', key: 'k', body: chunksOf(bytes), headers: plainHeaders })
  await change('insert into cache_bytes (content_id, bytes) select content_id, ? from cache_entries', bytes)
  expect(await look('storage.cached-contents')).toMatchObject([
    { severity: 'warning', invariant: 'I-23', message: expect.stringContaining('bytes in the database that no blob records') },
  ])
  await storage.put('k', bytes)
  await storage.expectSound()
})

test('without the folder of the cache, small objects are still read', async () => {
  const bytes = randomBytes(kib4)
  await storage.put('k', bytes)
  await rm(join(storage.dir, 'cache'), { recursive: true })
  expect((await read()).equals(bytes)).toBe(true)
  await expect(readdir(join(storage.dir, 'cache'))).rejects.toMatchObject({ code: 'ENOENT' })
})
