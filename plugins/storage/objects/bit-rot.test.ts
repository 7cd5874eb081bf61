import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { blobsFolder } from '../cache/files/cache-paths.ts'
import { type Disk, realDisk } from '../cache/files/disk.ts'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import { checkInvariants } from '../testing/check-invariants.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { chunksOf, type ObjectStorage, openObjectStorage, readAll } from '../testing/object-storage.ts'

const kib = 1024
const sizes = [
  ['a blob small enough for the memory cache', 4 * kib],
  ['a blob of one block', 200 * kib],
  ['a blob of several blocks', 700 * kib],
  ['a blob of large blocks', 9 * kib * kib + 1],
] as const
/** Size up to which the damage of a blob is found before the first byte is sent. */
const oneBlock = 256 * kib

async function pathOf({ database, cache }: ObjectStorage, { contentId }: ObjectVersion): Promise<string> {
  const [blob] = await blobsOfContent(database.read, contentId ?? 0)
  if (!blob) throw new Error(`content ${contentId} has no file`)
  return cache.pathOf(blob)
}

async function damage(storage: ObjectStorage, version: ObjectVersion, position = version.size - 1): Promise<void> {
  await flipByte(await pathOf(storage, version), position)
}

/** A provider that returns `bytes` for every object and counts the reads. */
function provider(bytes: Uint8Array) {
  const reads: number[] = []
  const openUncached = async (version: ObjectVersion): Promise<OpenedObject> => ({
    version,
    source: 'provider',
    read: (range) => {
      reads.push(reads.length)
      return chunksOf(range ? bytes.subarray(range.start, range.end + 1) : bytes)
    },
    async [Symbol.asyncDispose]() {},
  })
  return { reads, openUncached }
}

/** Reads the object and returns the received bytes and the error, if any. */
async function readToEnd(storage: ObjectStorage, range?: { readonly start: number; readonly end: number }) {
  const blocks: Uint8Array[] = []
  await using opened = await storage.objects.open('photos', 'k')
  try {
    for await (const block of opened.read(range)) blocks.push(block)
    return { bytes: Buffer.concat(blocks), error: undefined }
  } catch (error) {
    return { bytes: Buffer.concat(blocks), error: error as Error & { readonly code?: string } }
  }
}

async function expectSound({ database, dir, cache }: ObjectStorage): Promise<void> {
  const { usedBytes } = cache.stats()
  expect(await checkInvariants(database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
}

test('I-30: a recently verified file is verified again after it changed', async () => {
  await using storage = await openObjectStorage()
  const version = await storage.put('k', randomBytes(700 * kib))
  for (let reads = 0; reads < 2; reads++) expect((await readToEnd(storage)).error).toBeUndefined()
  await damage(storage, version)
  expect((await readToEnd(storage)).error?.code).toBe('content_unavailable')
})

for (const [what, size] of sizes) {
  test(`I-30 I-37: ${what} is read correctly, never completely after one of its bytes changed, and again when it is repaired`, async () => {
    await using storage = await openObjectStorage()
    const bytes = randomBytes(size)
    const version = await storage.put('k', bytes)
    expect(Buffer.compare((await readToEnd(storage)).bytes, bytes)).toBe(0)
    // The new file of the same bytes is not in the memory cache.
    await storage.put('k', bytes)
    const path = await pathOf(storage, version)
    await damage(storage, version)
    const read = await readToEnd(storage).catch((error) => ({ bytes: Buffer.alloc(0), error }))
    expect(read.error?.code).toBe('content_unavailable')
    expect(read.bytes.length).toBeLessThan(size)
    expect(await getRow(storage.database.read, 'select store_state from contents')).toEqual({ store_state: 'lost' })
    await expectSound(storage)
    // I-37: the only copy stays, and is served again when its bytes are right.
    expect([existsSync(path), storage.cache.stats().usedBytes]).toEqual([true, size])
    await expect(readToEnd(storage)).rejects.toMatchObject({
      code: 'content_unavailable',
      message: expect.stringContaining('what is left is kept'),
    })
    await damage(storage, version)
    expect(Buffer.compare((await readToEnd(storage)).bytes, bytes)).toBe(0)
    expect(await getRow(storage.database.read, 'select store_state from contents')).toEqual({ store_state: 'unstored' })
    await expectSound(storage)
  })

  test(`I-30: ${what} is served from a provider after one of its bytes changed`, async () => {
    const bytes = randomBytes(size)
    const { reads, openUncached } = provider(bytes)
    await using storage = await openObjectStorage({ openUncached })
    const version = await storage.put('k', bytes)
    await damage(storage, version, 0)
    const first = await readToEnd(storage)
    if (size > oneBlock) expect([first.error?.code, first.bytes.length < size]).toEqual(['content_unavailable', true])
    else expect(Buffer.compare(first.bytes, bytes)).toBe(0)
    expect(Buffer.compare((await readToEnd(storage)).bytes, bytes)).toBe(0)
    expect(reads).toHaveLength(size > oneBlock ? 1 : 2)
  })
}

test('I-30: a range that covers the whole object is verified like a whole read', async () => {
  await using storage = await openObjectStorage()
  const bytes = randomBytes(700 * kib)
  const version = await storage.put('k', bytes)
  await damage(storage, version, 1)
  const { error } = await readToEnd(storage, { start: 0, end: bytes.length - 1 })
  expect(error?.code).toBe('content_unavailable')
})

test('I-30: a put of the same bytes replaces a damaged file, also when the damage was not detected yet', async () => {
  await using storage = await openObjectStorage()
  const bytes = randomBytes(700 * kib)
  const version = await storage.put('k', bytes)
  const damaged = await pathOf(storage, version)
  await damage(storage, version, 77)
  const again = await storage.put('other', bytes)
  expect(again.contentId).toBe(version.contentId)
  expect(existsSync(damaged)).toBe(false)
  for (const key of ['k', 'other']) {
    expect(Buffer.compare(await readAll(await storage.objects.open('photos', key)), bytes)).toBe(0)
  }
  expect(storage.cache.stats().usedBytes).toBe(bytes.length)
  await expectSound(storage)
})

test('a read that began before a put of the same bytes completes', async () => {
  await using storage = await openObjectStorage()
  const bytes = randomBytes(700 * kib)
  await storage.put('k', bytes)
  const opened = await storage.objects.open('photos', 'k')
  await storage.put('k', bytes)
  expect(Buffer.compare(await readAll(opened), bytes)).toBe(0)
})

test('I-20: a reader finds the bytes although puts replace their file just before each open', async () => {
  const bytes = randomBytes(70 * kib)
  let puts = 0
  const disk: Disk = {
    ...realDisk,
    async open(path) {
      if (puts > 0 && path.includes(blobsFolder) && existsSync(path) && !statSync(path).isDirectory()) {
        puts -= 1
        await storage.put('k', bytes)
      }
      return realDisk.open(path)
    },
  }
  await using storage = await openObjectStorage({ disk })
  await storage.put('k', bytes)
  puts = 5
  expect(Buffer.compare(await readAll(await storage.objects.open('photos', 'k')), bytes)).toBe(0)
  expect(puts).toBe(0)
  await expectSound(storage)
})
