/** Reads of contents that are not cached fill the cache. */

import { hash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { getRow, runSql, watchProbes } from '#kernel/testing'
import { type ColdStorage, openColdStorage, step } from '../../testing/cold-storage.ts'
import { flipByte } from '../../testing/flip-byte.ts'
import { readAll } from '../../testing/object-storage.ts'
import { type Disk, realDisk } from '../files/disk.ts'

/** A client that takes blocks when the test asks for them. */
async function connect({ objects }: ColdStorage, key: string, range?: { readonly start: number; readonly end: number }) {
  const opened = await objects.open('photos', key)
  const blocks = opened.read(range)[Symbol.asyncIterator]()
  return {
    /** Takes blocks until it has this many bytes, or the end. */
    async take(bytesMin = Number.POSITIVE_INFINITY): Promise<Buffer> {
      const taken: Uint8Array[] = []
      for (let bytes = 0; bytes < bytesMin; ) {
        const next = await blocks.next()
        if (next.done) break
        taken.push(next.value)
        bytes += next.value.length
      }
      return Buffer.concat(taken)
    },
    async leave(): Promise<void> {
      await blocks.return?.()
      await opened[Symbol.asyncDispose]()
    },
  }
}

const readKey = async (storage: ColdStorage, key: string): Promise<Buffer> =>
  Buffer.from(await readAll(await storage.objects.open('photos', key)))

/** Reads as S3 answers do. */
async function readLent({ objects }: ColdStorage, key: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer> {
  await using opened = await objects.open('photos', key)
  const copies: Uint8Array[] = []
  for await (const block of opened.read(range, { lends: true })) copies.push(Buffer.from(block))
  return Buffer.concat(copies)
}

test('cold_get_single_flight: 100 readers of a cold content cause one download, and the content is cached', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k', randomBytes(3 * step + 5))
  const reads = await Promise.all(Array.from({ length: 100 }, () => readKey(storage, 'k')))
  for (const read of reads) expect(read.equals(bytes)).toBe(true)
  expect(storage.source.downloads).toEqual([0])
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  expect(storage.cache.fillCounts).toEqual({ started: 1, finished: 1, abandoned: 0, bytes: bytes.length })
  await storage.expectSound()
})

test('cold_get_single_flight: a content of one block is downloaded once, also by readers that open it while it is published', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k', randomBytes(3000))
  using probes = watchProbes()
  const hold = probes.holdAt('storage.fill.committing')
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  await hold.reached
  const late = await Promise.all(Array.from({ length: 10 }, () => storage.objects.open('photos', 'k')))
  hold.release()
  await storage.settled()
  for (const opened of late) expect(Buffer.from(await readAll(opened)).equals(bytes)).toBe(true)
  expect(storage.source.downloads).toEqual([0])
  await storage.expectSound()
})

test('readers that are lent blocks get the right bytes from the file of the fill and from the source, hashed on another thread too', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k', randomBytes(9 * 1024 * 1024 + 5))
  const end = { start: bytes.length - 200_000, end: bytes.length - 1 }
  const [whole, last] = await Promise.all([readLent(storage, 'k'), readLent(storage, 'k', end)])
  expect(whole.equals(bytes)).toBe(true)
  expect(last?.equals(bytes.subarray(end.start))).toBe(true)
  expect(new Set(storage.source.downloads)).toEqual(new Set([0, end.start]))
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  await storage.expectSound()
})

/** A cold content like that of an upload in several parts: only its files had a SHA-256. */
async function putColdParts(storage: ColdStorage, bytes: Uint8Array): Promise<void> {
  const { contentId } = await storage.putCold('k', bytes)
  await storage.database.write((tx) => runSql(tx, 'update contents set sha256 = null where id = ?', contentId ?? 0))
}

test('a content without a recorded SHA-256 is cached from a source that proves its bytes, and its file is verified by later reads', async () => {
  await using storage = await openColdStorage()
  const bytes = randomBytes(3 * step + 5)
  await putColdParts(storage, bytes)
  storage.source.isProved = true
  const reads = await Promise.all(Array.from({ length: 3 }, () => readKey(storage, 'k')))
  for (const read of reads) expect(read.equals(bytes)).toBe(true)
  expect(storage.source.downloads).toEqual([0])
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  await storage.expectSound()
  expect(await getRow(storage.database.read, 'select sha256 from cache_blobs')).toEqual({ sha256: hash('sha256', bytes) })
  const [path = ''] = storage.files()
  await flipByte(path, step)
  await expect(readKey(storage, 'k')).rejects.toThrow('damaged')
})

test('damage on the disk during a fill never reaches its readers: they continue from the source, and the file is not cached', async () => {
  for (const range of [undefined, { start: step + 7, end: 5 * step }])
    for (const isOfParts of [true, false]) {
      await using storage = await openColdStorage()
      const bytes = randomBytes(6 * step)
      await (isOfParts ? putColdParts(storage, bytes) : storage.putCold('k', bytes))
      storage.source.isProved = true
      const hold = storage.source.holdAt(5 * step)
      const first = await connect(storage, 'k')
      const head = await first.take(1)
      await hold.reached
      const [path = ''] = storage.files()
      await flipByte(path, 2 * step)
      const late = await connect(storage, 'k', range)
      const got = await late.take()
      expect(got.equals(bytes.subarray(range?.start ?? 0, (range?.end ?? bytes.length - 1) + 1))).toBe(true)
      // The second read starts with the block of the damaged byte.
      expect(storage.source.downloads).toEqual([0, 2 * 256 * 1024])
      hold.release()
      expect(Buffer.concat([head, await first.take()]).equals(bytes)).toBe(true)
      for (const client of [first, late]) await client.leave()
      await storage.settled()
      expect(storage.cache.fillCounts).toMatchObject({ started: 1, finished: 0, abandoned: 1 })
      expect(storage.files()).toEqual([])
      expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
      await storage.settled()
      expect(await storage.sourceOf('k')).toBe('cache')
      await storage.expectSound()
    }
})

test('a content without a recorded SHA-256 is read, and not cached, from a source that does not prove its bytes or sends too many', async () => {
  await using storage = await openColdStorage()
  const bytes = randomBytes(3 * step)
  await putColdParts(storage, bytes)
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  expect(storage.cache.fillCounts.started).toBe(0)
  storage.source.isProved = true
  for (const id of storage.source.copies.keys()) storage.source.copies.set(id, Buffer.concat([bytes, randomBytes(step)]))
  await readKey(storage, 'k')
  await storage.settled()
  expect(storage.cache.fillCounts).toMatchObject({ started: 1, finished: 0, abandoned: 1 })
  expect(await storage.sourceOf('k')).toBe('provider')
})

test('a reader that looked up the content before it was cached looks it up again', async () => {
  await using storage = await openColdStorage()
  const version = await storage.putCold('k', randomBytes(3000))
  const open = () => storage.cache.openCold(version, version.contentId ?? 0, storage.source.openUncached)
  await readAll((await open()) ?? expect.fail('the content is not cached'))
  await storage.settled()
  expect(await open()).toBeUndefined()
})

test('a second reader gets the bytes that the file has at once, and the others when they arrive', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const hold = storage.source.holdAt(10 * step)
  const first = await connect(storage, 'k')
  const head = await first.take(step)
  await hold.reached
  const second = await connect(storage, 'k')
  const half = await second.take(9 * step)
  expect(half.equals(bytes.subarray(0, half.length))).toBe(true)
  hold.release()
  expect(Buffer.concat([half, await second.take()]).equals(bytes)).toBe(true)
  expect(Buffer.concat([head, await first.take()]).equals(bytes)).toBe(true)
  for (const client of [first, second]) await client.leave()
  expect(storage.source.downloads).toEqual([0])
})

test('client_abort_keeps_rehydrating: the fill continues when its first reader leaves and another one reads', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const hold = storage.source.holdAt(step)
  const [first, second] = [await connect(storage, 'k'), await connect(storage, 'k')]
  await first.take(1)
  await second.take(1)
  await hold.reached
  await first.leave()
  hold.release()
  await second.take()
  await second.leave()
  await storage.settled()
  expect(storage.source.downloads).toEqual([0])
  expect(await storage.sourceOf('k')).toBe('cache')
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
})

test('client_abort_keeps_rehydrating: a fill without readers continues when most of it is done, and otherwise ends and leaves nothing', async () => {
  await using storage = await openColdStorage()
  await storage.putCold('most')
  await storage.putCold('little')
  for (const [key, position] of [
    ['most', 12 * step],
    ['little', 2 * step],
  ] as const) {
    const hold = storage.source.holdAt(position)
    const client = await connect(storage, key)
    await client.take(step)
    await hold.reached
    await client.leave()
    hold.release()
    await storage.settled()
  }
  expect(await Promise.all(['most', 'little'].map((key) => storage.sourceOf(key)))).toEqual(['cache', 'provider'])
  expect(storage.cache.fillCounts).toMatchObject({ started: 2, finished: 1, abandoned: 1 })
  expect(storage.files()).toHaveLength(1)
  await expect.poll(() => storage.source.running()).toBe(0)
  await storage.expectSound()
})

test('a reader that reads nothing does not slow the fill', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const slow = await connect(storage, 'k')
  const first = await slow.take(1)
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  expect(Buffer.concat([first, await slow.take()]).equals(bytes)).toBe(true)
  await slow.leave()
})

test('a reader that is closed during its read closes the file', async () => {
  const open = new Set<number>()
  const disk: Disk = {
    ...realDisk,
    async open(path) {
      const descriptor = await realDisk.open(path)
      open.add(descriptor)
      return descriptor
    },
    close(descriptor) {
      open.delete(descriptor)
      return realDisk.close(descriptor)
    },
  }
  await using storage = await openColdStorage({ disk })
  const folders = open.size
  await storage.putCold('k')
  const opened = await storage.objects.open('photos', 'k')
  await opened.read()[Symbol.asyncIterator]().next()
  const during = open.size
  await opened[Symbol.asyncDispose]()
  await expect.poll(() => during - open.size).toBe(1)
  await storage.settled()
  expect(during).toBeGreaterThan(folders)
})

test('a range of less than half, or from the middle, fills nothing; one that the file of a fill has is read from it', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const readRange = async (start: number, end: number) => {
    const read = await readAll(await storage.objects.open('photos', 'k'), { start, end })
    expect(Buffer.compare(read, bytes.subarray(start, end + 1))).toBe(0)
  }
  await readRange(0, 9 * step)
  await readRange(5 * step, bytes.length - 1)
  expect([storage.source.downloads, storage.cache.fillCounts.started]).toEqual([[0, 5 * step], 0])
  const hold = storage.source.holdAt(12 * step)
  const client = await connect(storage, 'k')
  await client.take(11 * step)
  await hold.reached
  await readRange(step, 2 * step)
  await readRange(18 * step, 19 * step)
  expect(storage.source.downloads).toEqual([0, 5 * step, 0, 18 * step])
  hold.release()
  await client.leave()
  await storage.settled()
  await readRange(step, 2 * step)
  expect(storage.source.downloads).toHaveLength(4)
})

test('a range that covers most of a content fills the cache with the whole content', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const read = await readAll(await storage.objects.open('photos', 'k'), { start: 100, end: 12 * step })
  expect(Buffer.compare(read, bytes.subarray(100, 12 * step + 1))).toBe(0)
  await storage.settled()
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  expect(storage.source.downloads).toEqual([0])
  await storage.expectSound()
})

test.each([
  ['one block', 3000],
  ['many blocks', 10 * step],
])('I-30: wrong bytes of a source, %s, are neither cached nor sent completely', async (_name, size) => {
  await using storage = await openColdStorage()
  const { contentId, bytes } = await storage.putCold('k', randomBytes(size))
  const wrong = Buffer.from(bytes)
  wrong.writeUInt8(wrong.readUInt8(size - 1) ^ 1, size - 1)
  storage.source.copies.set(contentId ?? 0, wrong)
  const readers = await Promise.all([connect(storage, 'k'), connect(storage, 'k')])
  for (const reader of readers) {
    await expect(reader.take()).rejects.toMatchObject({ code: 'content_unavailable', retryAfterSeconds: 10 })
    await reader.leave()
  }
  await storage.settled()
  expect([await storage.sourceOf('k'), storage.files()]).toEqual(['provider', []])
  await storage.expectSound()
})

test('a source that fails during a fill: readers continue with a download of their own, and the next read fills the cache', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const hold = storage.source.holdAt(10 * step)
  const client = await connect(storage, 'k')
  const head = await client.take(8 * step)
  await hold.reached
  storage.source.failAt = 10 * step
  hold.release()
  await storage.settled()
  storage.source.failAt = undefined
  expect(Buffer.concat([head, await client.take()]).equals(bytes)).toBe(true)
  await client.leave()
  expect(storage.source.downloads).toEqual([0, head.length])
  expect(storage.files()).toEqual([])
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  await storage.settled()
  expect(await storage.sourceOf('k')).toBe('cache')
  await storage.expectSound()
})

test('a source that sends nothing is abandoned at the minimum rate, and its readers continue', async () => {
  await using storage = await openColdStorage({ fillLimits: { window: 20 } })
  const { bytes } = await storage.putCold('k', randomBytes(3 * step))
  const hold = storage.source.holdAt(step)
  const read = readKey(storage, 'k')
  await storage.settled()
  await expect.poll(() => storage.cache.fillCounts.abandoned).toBe(1)
  // Only now, because the fill must end while its source does not respond. On a slow machine the fill ends before it, and the reader waits.
  hold.release()
  expect((await read).equals(bytes)).toBe(true)
  expect(storage.cache.fillCounts).toMatchObject({ started: 1, abandoned: 1 })
  expect(storage.files()).toEqual([])
})

test('a content that is deleted during its fill is read to its end and leaves no file', async () => {
  await using storage = await openColdStorage()
  const { bytes, versionId } = await storage.putCold('k')
  const hold = storage.source.holdAt(10 * step)
  const client = await connect(storage, 'k')
  const head = await client.take(1)
  await hold.reached
  await storage.versions.delete({ bucket: 'photos', key: 'k', versionId })
  hold.release()
  expect(Buffer.concat([head, await client.take()]).equals(bytes)).toBe(true)
  await client.leave()
  await storage.settled()
  expect(storage.files()).toEqual([])
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('bytes that are uploaded again during their fill are cached once', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k')
  const hold = storage.source.holdAt(10 * step)
  const client = await connect(storage, 'k')
  const head = await client.take(1)
  await hold.reached
  await storage.put('again', bytes)
  hold.release()
  expect(Buffer.concat([head, await client.take()]).equals(bytes)).toBe(true)
  await client.leave()
  await storage.settled()
  expect(storage.files()).toHaveLength(1)
  expect(storage.cache.stats().usedBytes).toBe(bytes.length)
  await storage.expectSound()
})

test('readers of a fill continue when its content is evicted', async () => {
  await using storage = await openColdStorage()
  const { bytes, contentId } = await storage.putCold('k')
  const clients = [await connect(storage, 'k'), await connect(storage, 'k')]
  const heads: Buffer[] = []
  for (const client of clients) heads.push(await client.take(1))
  await storage.settled()
  const unread = await storage.objects.open('photos', 'k')
  // The entry of a content with enough copies may be released at once.
  expect(await storage.cache.evict(contentId ?? 0)).toBe(bytes.length)
  for (const [at, client] of clients.entries()) {
    expect(Buffer.concat([heads[at] ?? Buffer.alloc(0), await client.take()]).equals(bytes)).toBe(true)
    await client.leave()
  }
  expect(Buffer.from(await readAll(unread)).equals(bytes)).toBe(true)
  await storage.expectSound()
})

test.each([
  ['at once', 0, readKey],
  ['at once, with lent blocks', 0, readLent],
  ['later', 4 * step, readKey],
  ['later, with lent blocks', 4 * step, readLent],
])('a full disk: readers continue from the source, %s', async (_when, fullAt, read) => {
  let isFull = false
  const disk: Disk = {
    ...realDisk,
    write: async (descriptor, chunks, position) => {
      if (isFull && position >= fullAt) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return realDisk.write(descriptor, chunks, position)
    },
  }
  await using storage = await openColdStorage({ disk })
  const { bytes } = await storage.putCold('k')
  isFull = true
  expect((await read(storage, 'k')).equals(bytes)).toBe(true)
  await storage.settled()
  expect([await storage.sourceOf('k'), storage.files()]).toEqual(['provider', []])
  await storage.expectSound()
})

test('a failed fsync: the bytes are not cached', async () => {
  let fails = false
  const syncFile = (descriptor: number) => (fails ? Promise.reject(new Error('fsync failed')) : realDisk.syncFile(descriptor))
  await using storage = await openColdStorage({ disk: { ...realDisk, syncFile } })
  const { bytes } = await storage.putCold('k', randomBytes(3000))
  fails = true
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  await storage.settled()
  expect([await storage.sourceOf('k'), storage.files()]).toEqual(['provider', []])
  await storage.expectSound()
})

test('a cache that closes during a fill waits for its end, and leaves no file', async () => {
  await using storage = await openColdStorage()
  await storage.putCold('k')
  const hold = storage.source.holdAt(10 * step)
  const client = await connect(storage, 'k')
  await client.take(1)
  await hold.reached
  await storage.stop()
  expect(storage.files()).toEqual([])
})

test('a lost content whose source has its bytes is cached again, and its keepers make copies', async () => {
  await using storage = await openColdStorage()
  const { bytes, contentId } = await storage.putCold('k', randomBytes(3000))
  await storage.database.write((tx) =>
    runSql(tx, "update contents set durable_copies = 0, readable_copies = 0, store_state = 'lost' where id = ?", contentId),
  )
  storage.keeper.copies.clear()
  storage.keeper.needed.splice(0)
  expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
  await storage.settled()
  expect(await getRow(storage.database.read, 'select store_state from contents')).toEqual({ store_state: 'unstored' })
  expect(await getRow(storage.database.read, 'select releasable from cache_entries')).toEqual({ releasable: 0 })
  expect(storage.keeper.needed).toMatchObject([{ id: contentId, reason: 'recovered' }])
  await storage.expectSound()
})

test('without a recorded SHA-256, under other policies and when it is disabled, nothing is filled', async () => {
  const open = [
    () => openColdStorage({ fillsOnRead: false }),
    () => openColdStorage({ rules: { policy: 'after_upload' } }),
    () => openColdStorage({ rules: { policy: 'none' } }),
    () => openColdStorage(),
  ]
  for (const [at, openStorage] of open.entries()) {
    await using storage = await openStorage()
    const { bytes } = await storage.putCold('k', randomBytes(3000))
    if (at === 3) await storage.database.write((tx) => runSql(tx, 'update contents set sha256 = null'))
    for (let reads = 0; reads < 2; reads++) expect((await readKey(storage, 'k')).equals(bytes)).toBe(true)
    expect([storage.cache.fillCounts.started, storage.source.downloads]).toEqual([0, [0, 0]])
  }
})

test('the file of a fill has the bytes of the content', async () => {
  await using storage = await openColdStorage()
  const { bytes } = await storage.putCold('k', randomBytes(5 * step))
  await readKey(storage, 'k')
  await storage.settled()
  expect(storage.files().map((path) => readFileSync(path).equals(bytes as Buffer))).toEqual([true])
})
