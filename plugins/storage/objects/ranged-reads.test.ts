/** I-30: reads of a part of a cached file, which may be damaged or unreadable. */

import { randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import { type Disk, realDisk } from '../cache/files/disk.ts'
import { BodyMemory } from '../cache/transfer/body-memory.ts'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import type { ByteRange, ObjectVersion, OpenedObject } from '../contract.ts'
import { checkInvariants } from '../testing/check-invariants.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { chunksOf, type ObjectStorage, type ObjectStorageOptions, openObjectStorage, readAll } from '../testing/object-storage.ts'
import { makeUnreadable } from '../testing/unreadable-file.ts'

const kib = 1024
const mib = 1024 * kib

async function pathOf({ database, cache }: ObjectStorage, { contentId }: ObjectVersion): Promise<string> {
  const [blob] = await blobsOfContent(database.read, contentId ?? 0)
  if (!blob) throw new Error(`content ${contentId} has no file`)
  return cache.pathOf(blob)
}

/** Storage with one object of these bytes, which a provider has too. */
async function openStored(bytes: Buffer, options: ObjectStorageOptions = {}) {
  const remote: (ByteRange | undefined)[] = []
  const storage = await openObjectStorage({
    openUncached: async (version): Promise<OpenedObject> => ({
      version,
      source: 'provider',
      read: (range) => {
        remote.push(range)
        return chunksOf(range ? bytes.subarray(range.start, range.end + 1) : bytes)
      },
      async [Symbol.asyncDispose]() {},
    }),
    ...options,
  })
  const version = await storage.put('k', bytes)
  await storage.database.write((tx) => runSql(tx, 'update contents set readable_copies = 1'))
  const path = await pathOf(storage, version)
  return { storage, version, path, remote }
}

async function readRange({ objects }: ObjectStorage, range: ByteRange): Promise<Buffer> {
  return Buffer.from(await readAll(await objects.open('photos', 'k'), range))
}

/** The received bytes, and the code of the error that ended the read. */
async function tryRange({ objects }: ObjectStorage, range: ByteRange) {
  const blocks: Uint8Array[] = []
  await using opened = await objects.open('photos', 'k')
  try {
    for await (const block of opened.read(range, { lends: true })) blocks.push(Buffer.from(block))
    return { bytes: Buffer.concat(blocks), code: undefined }
  } catch (error) {
    return { bytes: Buffer.concat(blocks), code: (error as { readonly code?: string }).code }
  }
}

const invariantsOf = ({ database, dir }: ObjectStorage) => checkInvariants(database.read, { cacheDir: join(dir, 'cache') })
const countEntries = ({ database }: ObjectStorage) => getRow(database.read, 'select count(*) as entries from cache_entries')

test.each([
  [70 * kib, { start: 10, end: 11 }],
  [200 * kib, { start: 3, end: 199 * kib }],
  [9 * mib + 1, { start: 4 * mib, end: 4 * mib + 99 }],
])('I-30: of %i bytes the damaged range %j comes from a provider, and the file is removed', async (size, range) => {
  const bytes = randomBytes(size)
  const { storage, path, remote } = await openStored(bytes)
  await using _ = storage
  await flipByte(path, range.end)
  expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
  expect(remote).toEqual([range])
  expect([existsSync(path), await countEntries(storage)]).toEqual([false, { entries: 0 }])
})

test('I-30: a damaged range of many blocks is never complete, and the next read comes from a provider', async () => {
  const bytes = randomBytes(12 * mib)
  const { storage, path } = await openStored(bytes)
  await using _ = storage
  const range = { start: 1, end: 11 * mib }
  await flipByte(path, 5 * mib)
  const first = await tryRange(storage, range)
  expect([first.code, first.bytes.length < range.end]).toEqual(['content_unavailable', true])
  expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
})

test('I-30: random ranges of a file with one damaged byte are right, whatever memory they get', async () => {
  const bytes = randomBytes(3 * mib + 77)
  for (let round = 0; round < 8; round++) {
    // Transfers get blocks of 8 KiB without room for a large block.
    const { storage, path } = await openStored(bytes, { memory: new BodyMemory(round % 2 ? undefined : 512 * kib) })
    await using _ = storage
    await using held = await holdBlock(storage, round % 2 === 0)
    await flipByte(path, randomInt(bytes.length))
    for (let reads = 0; reads < 4; reads++) {
      const start = randomInt(bytes.length - 1)
      const range = { start, end: Math.min(bytes.length - 1, start + randomInt(randomInt(2) ? 100 : 2 * mib)) }
      const { bytes: received, code } = await tryRange(storage, range)
      if (code === undefined) expect(received.equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
      else expect([code, received.length <= range.end - range.start]).toEqual(['content_unavailable', true])
    }
    expect(held.isHeld).toBe(round % 2 === 0)
  }
})

/** A client that read a block of another object and does not go on. */
async function holdBlock(storage: ObjectStorage, isHeld: boolean) {
  await storage.put('held', randomBytes(mib))
  const opened = await storage.objects.open('photos', 'held')
  const blocks = opened.read(undefined, { lends: true })[Symbol.asyncIterator]()
  if (isHeld) await blocks.next()
  return {
    isHeld,
    async [Symbol.asyncDispose]() {
      await blocks.return?.()
      await opened[Symbol.asyncDispose]()
    },
  }
}

test('I-30: blocks are verified once while the file is unchanged, and again after it changed', async () => {
  const bytes = randomBytes(2 * mib)
  let reads: number[] = []
  const disk: Disk = {
    ...realDisk,
    async read(descriptor, into, position) {
      reads.push(into.length)
      return realDisk.read(descriptor, into, position)
    },
  }
  const { storage, path, remote } = await openStored(bytes, { disk })
  await using _ = storage
  const range = { start: 70 * kib, end: 70 * kib + 9 }
  for (let times = 0; times < 2; times++) await readRange(storage, range)
  expect([reads, remote]).toEqual([[64 * kib, 10], []])
  reads = []
  await readRange(storage, { start: 60 * kib, end: 70 * kib })
  expect(reads).toEqual([128 * kib])
  await flipByte(path, range.start)
  expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
  expect(remote).toEqual([range])
})

test('I-30: without recorded checksums the whole file is verified before a range, once for many readers, and they are recorded', async () => {
  const bytes = randomBytes(2 * mib)
  let readBytes = 0
  const disk: Disk = {
    ...realDisk,
    async read(descriptor, into, position) {
      readBytes += into.length
      return realDisk.read(descriptor, into, position)
    },
  }
  const { storage, path, remote } = await openStored(bytes, { disk })
  await using _ = storage
  const forgetChecksums = () => storage.database.write((tx) => runSql(tx, 'update cache_blobs set block_checksums = null'))
  const range = { start: 5, end: 9 }
  const readMany = () => Promise.all(Array.from({ length: 20 }, () => readRange(storage, range)))
  await forgetChecksums()
  for (const read of await readMany()) expect(read.equals(bytes.subarray(5, 10))).toBe(true)
  expect(readBytes).toBe(bytes.length + 20 * 5)
  expect(await invariantsOf(storage)).toEqual([])

  await forgetChecksums()
  await flipByte(path, 2 * mib - 1)
  readBytes = 0
  for (const read of await readMany()) expect(read.equals(bytes.subarray(5, 10))).toBe(true)
  expect([readBytes, remote.length, existsSync(path)]).toEqual([bytes.length, 20, false])
})

test('an intact file whose recorded checksums are wrong is not removed, and they are corrected', async () => {
  const bytes = randomBytes(2 * mib)
  const { storage, path, remote } = await openStored(bytes)
  await using _ = storage
  await storage.database.write((tx) => runSql(tx, 'update cache_blobs set block_checksums = ?', Buffer.alloc(4 * 32)))
  expect((await readRange(storage, { start: 5, end: 9 })).equals(bytes.subarray(5, 10))).toBe(true)
  expect([remote, existsSync(path), await invariantsOf(storage)]).toEqual([[], true, []])
})

test('I-30: a range of several windows is right, also at their borders', async () => {
  const bytes = randomBytes(70 * mib)
  const { storage, path } = await openStored(bytes, { sizes: { bytesMin: 1, bytesMax: 256 * mib }, maxBytes: 512 * mib })
  await using _ = storage
  const range = { start: 3, end: 69 * mib }
  expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
  await flipByte(path, 10 * mib)
  const { bytes: received, code } = await tryRange(storage, range)
  expect([code, received.length]).toEqual(['content_unavailable', 64 * mib - 512 * kib - 3])
})

test.each([
  ['in memory', 100],
  ['of one block', 200 * kib],
  ['of many blocks', 2 * mib],
])('a file %s that cannot be opened is served from a provider, and its entry stays', async (_what, size) => {
  const bytes = randomBytes(size)
  const { storage, path, remote } = await openStored(bytes)
  await using _ = storage
  makeUnreadable(path)
  for (const range of [
    { start: 1, end: 50 },
    { start: 0, end: size - 1 },
  ]) {
    expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
  }
  expect([remote.length, await countEntries(storage)]).toEqual([2, { entries: 1 }])
})

test('a file that cannot be read is served from a provider, and its entry stays; without a copy the answer names the disk', async () => {
  const bytes = randomBytes(700 * kib)
  const broken = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
  const disk: Disk = { ...realDisk, read: () => Promise.reject(broken) }
  const { storage, remote } = await openStored(bytes, { disk })
  await using _ = storage
  for (const range of [
    { start: 1, end: 50 },
    { start: 0, end: bytes.length - 1 },
  ]) {
    expect((await readRange(storage, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
  }
  expect([remote.length, await countEntries(storage)]).toEqual([2, { entries: 1 }])

  const openUncached = () => Promise.reject(new Error('no provider has the bytes'))
  const { storage: alone } = await openStored(bytes, { disk, openUncached })
  await using _alone = alone
  await expect(readRange(alone, { start: 1, end: 50 })).rejects.toMatchObject({
    code: 'content_unavailable',
    message: 'the cached file cannot be read: EIO: i/o error, read; check the disk of cache.dir',
  })
  expect(await countEntries(alone)).toEqual({ entries: 1 })
})

test('every file of several blocks has the checksums of its bytes: of a copy too', async () => {
  const { storage } = await openStored(randomBytes(2 * mib))
  await using _ = storage
  await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
  await storage.objects.copy({ source: { bucket: 'photos', key: 'k' }, target: { bucket: 'archive', key: 'copy' } })
  expect(await invariantsOf(storage)).toEqual([])
})

test('a source that is opened for a read that was closed meanwhile is closed too', async () => {
  const opening = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  let closed = 0
  const openUncached = async (version: ObjectVersion): Promise<OpenedObject> => {
    asked.resolve()
    await opening.promise
    return {
      version,
      source: 'provider',
      read: () => chunksOf(Buffer.from('never read')),
      async [Symbol.asyncDispose]() {
        closed += 1
      },
    }
  }
  const { storage, path } = await openStored(randomBytes(2 * mib), { openUncached })
  await using _ = storage
  await flipByte(path, 5)
  const opened = await storage.objects.open('photos', 'k')
  const first = opened.read({ start: 5, end: 9 })[Symbol.asyncIterator]().next()
  await asked.promise
  await opened[Symbol.asyncDispose]()
  opening.resolve()
  await expect(first).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(closed).toBe(1)
})
