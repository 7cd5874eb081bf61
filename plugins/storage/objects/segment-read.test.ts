import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blobPath } from '../cache/files/cache-paths.ts'
import { expectedBlobs } from '../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion } from '../contract.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { chunksOf, readAll } from '../testing/object-storage.ts'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { makeUnreadable } from '../testing/unreadable-file.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const blockBytes = 256 * 1024
const texts = ['first, ', 'second, ', 'third']
/** Each part is read in several blocks. */
const large = [3, 4, 5].map((digit) => Buffer.alloc(2 * blockBytes + digit, String(digit)))

let storage: VersionStorage
let staged: StagedUploads
/** Bytes that a provider has, and the ranges that were read from it. */
let stored: Buffer | undefined
let remoteReads: object[]
let isProved: boolean

beforeEach(async () => {
  stored = undefined
  isProved = true
  remoteReads = []
  storage = await openVersionStorage({
    async openUncached(version) {
      if (!stored) throw new Error('no provider has the bytes')
      const bytes = stored
      return {
        version,
        source: 'provider',
        isProved,
        async *read({ start, end } = { start: 0, end: bytes.length - 1 }) {
          remoteReads.push({ start, end })
          yield* chunksOf(bytes.subarray(start, end + 1))
        },
        async [Symbol.asyncDispose]() {},
      }
    },
  })
  staged = stageUploads(storage.uploads)
})

afterEach(async () => {
  await storage.expectSound()
  await storage[Symbol.asyncDispose]()
})

/** Makes as many copies as the bucket requires before an eviction. */
async function keepEnough(version: ObjectVersion): Promise<void> {
  for (let copy = 0; copy < 2; copy++) await storage.keep(version)
}

async function pathsOf({ contentId }: ObjectVersion): Promise<string[]> {
  const blobs = await expectedBlobs(storage.database.read, contentId ?? 0)
  return blobs.map(({ blobId, epoch }) => blobPath(join(storage.dir, 'cache'), blobId, epoch))
}

const open = () => storage.objects.open('photos', 'k')
const read = async (range?: { readonly start: number; readonly end: number }) => Buffer.from(await readAll(await open(), range)).toString()
const countFiles = () =>
  readdirSync(join(storage.dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

test('I-30 I-37: a damaged segment is never sent: it comes from a provider, and the files beside it stay', async () => {
  const version = await staged.object('k', texts)
  await storage.keep(version)
  stored = Buffer.from(texts.join(''))
  const [, second = ''] = await pathsOf(version)
  await flipByte(second, 3)
  expect(await read()).toBe('first, second, third')
  expect(remoteReads).toEqual([{ start: 7, end: 14 }])
  expect([storage.cache.stats().usedBytes, countFiles()]).toEqual([20, 3])
  expect(await read({ start: 8, end: 10 })).toBe('eco')
  expect(await read({ start: 0, end: 3 })).toBe('firs')
  expect(remoteReads.slice(1)).toEqual([{ start: 8, end: 10 }])
})

test('I-30: damage found after a block of the segment was sent fails the read; the next one uses a provider', async () => {
  const version = await staged.object('k', large)
  await storage.keep(version)
  stored = Buffer.concat(large)
  const [, second = ''] = await pathsOf(version)
  await flipByte(second, 0)
  await expect(read()).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(await read()).toBe(stored.toString())
  expect([remoteReads, countFiles()]).toEqual([[{ start: 2 * blockBytes + 3, end: 4 * blockBytes + 6 }], 3])
})

test('I-30: a range of a damaged segment comes from a provider', async () => {
  const version = await staged.object('k', large)
  await storage.keep(version)
  stored = Buffer.concat(large)
  const [, second = ''] = await pathsOf(version)
  const offset = 2 * blockBytes + 3
  await flipByte(second, 5)
  const range = { start: offset + 9, end: offset + 20 }
  expect(await read(range)).toBe(stored.subarray(range.start, range.end + 1).toString())
  expect([remoteReads, countFiles()]).toEqual([[range], 3])
})

test('a segment that cannot be opened comes from a provider, with the rest, and the entry stays', async () => {
  const version = await staged.object('k', large)
  await storage.keep(version)
  stored = Buffer.concat(large)
  const paths = await pathsOf(version)
  for (const at of [1, 0]) {
    const path = paths[at] ?? ''
    const bytes = readFileSync(path)
    makeUnreadable(path)
    expect(await read()).toBe(stored.toString())
    expect(remoteReads.pop()).toEqual({ start: at * (2 * blockBytes + 3), end: stored.length - 1 })
    expect(await pathsOf(version)).toEqual(paths)
    await unlink(path)
    writeFileSync(path, bytes)
  }
  expect(await read()).toBe(stored.toString())
  expect(remoteReads).toEqual([])
})

test('I-20 I-37: a damaged segment without a copy makes the content lost, its other segments are served, and a completion of the same parts heals it', async () => {
  const version = await staged.object('k', texts)
  const [first = ''] = await pathsOf(version)
  await flipByte(first, 0)
  await expect(read()).rejects.toThrow('no provider has the bytes')
  await storage.expectSound()
  expect(await read({ start: 7, end: 19 })).toBe('second, third')
  expect(countFiles()).toBe(3)
  await staged.object('other', texts)
  expect(await read()).toBe('first, second, third')
})

test('a read continues from a provider when the object is evicted during the read', async () => {
  const version = await staged.object('k', large)
  await keepEnough(version)
  stored = Buffer.concat(large)
  const blocks: Uint8Array[] = []
  await using opened = await open()
  for await (const block of opened.read()) {
    if (blocks.length === 0) await storage.uncache(version)
    blocks.push(block)
  }
  expect(Buffer.compare(Buffer.concat(blocks), stored)).toBe(0)
  // The open file was read to its end.
  expect(remoteReads).toEqual([{ start: 2 * blockBytes + 3, end: stored.length - 1 }])
})

test('a read continues with the new files when the same parts are completed again meanwhile', async () => {
  await staged.object('k', large)
  const blocks: Uint8Array[] = []
  await using opened = await open()
  for await (const block of opened.read()) {
    if (blocks.length === 0) await staged.object('again', large)
    blocks.push(block)
  }
  expect(Buffer.compare(Buffer.concat(blocks), Buffer.concat(large))).toBe(0)
  expect(remoteReads).toEqual([])
})

test('I-37: a missing file of a segment is found at the read and comes from a provider', async () => {
  const version = await staged.object('k', texts)
  await storage.keep(version)
  stored = Buffer.from(texts.join(''))
  const [, , third = ''] = await pathsOf(version)
  await unlink(third)
  expect(await read()).toBe('first, second, third')
  expect([remoteReads, countFiles()]).toEqual([[{ start: 15, end: 19 }], 2])
})

test('a missing first file is found before the first byte is read', async () => {
  const version = await staged.object('k', texts)
  const [first = ''] = await pathsOf(version)
  await unlink(first)
  await expect(read()).rejects.toThrow('no provider has the bytes')
  expect(countFiles()).toBe(2)
})

test('a closed object is not read further', async () => {
  await staged.object('k', large)
  const opened = await open()
  const blocks = opened.read()[Symbol.asyncIterator]()
  await blocks.next()
  await opened[Symbol.asyncDispose]()
  await expect(
    (async () => {
      for (let turn = 0; turn < 10; turn++) await blocks.next()
    })(),
  ).rejects.toMatchObject({ code: 'content_unavailable' })
})

test('I-30: an evicted object without a recorded SHA-256 is not restored from a source that does not prove its bytes', async () => {
  const version = await staged.object('k', texts)
  await keepEnough(version)
  await storage.uncache(version)
  stored = Buffer.from('wrong, bytes!, equal')
  isProved = false
  const { versionId } = await storage.put('k', 'newer')
  const restore = { bucket: 'photos', key: 'k', versionId: version.versionId, expectedCurrentVersionId: versionId }
  await expect(storage.versions.restore(restore)).rejects.toMatchObject({ code: 'restore_source_unreadable' })
  expect([await read(), countFiles()]).toEqual(['newer', 1])
  stored = Buffer.from(texts.join(''))
  isProved = true
  await storage.versions.restore(restore)
  expect(await read()).toBe('first, second, third')
})

test('an evicted object of several parts is restored into one file, which is verified by its own SHA-256', async () => {
  const version = await staged.object('k', texts)
  await keepEnough(version)
  await storage.uncache(version)
  expect(countFiles()).toBe(0)
  stored = Buffer.from(texts.join(''))
  const newer = await storage.put('k', 'newer')
  await storage.versions.restore({ bucket: 'photos', key: 'k', versionId: version.versionId, expectedCurrentVersionId: newer.versionId })
  expect(await storage.uploads.partsOf({ bucket: 'photos', key: 'k' })).toHaveLength(3)
  stored = undefined
  expect(await read()).toBe('first, second, third')
  const [path = ''] = await pathsOf(version)
  await storage.stop()
  await flipByte(path, 1)
  const { dir, dsn } = storage
  const reopened = await openVersionStorage({ dir, dsn, openUncached: () => Promise.reject(new Error('no provider has the bytes')) })
  await expect(reopened.text('k')).rejects.toThrow('no provider has the bytes')
  storage = reopened
})
