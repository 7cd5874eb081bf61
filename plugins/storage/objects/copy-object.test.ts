import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchProbes } from '#kernel/testing'
import { blobPath } from '../cache/files/cache-paths.ts'
import { realDisk } from '../cache/files/disk.ts'
import { expectedBlobs } from '../catalog/cached/cache-entry-store.ts'
import type { CopyObject, ObjectVersion } from '../contract.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { loseFiles } from '../testing/lose-files.ts'
import { chunksOf, readAll } from '../testing/object-storage.ts'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { makeUnreadable } from '../testing/unreadable-file.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const texts = ['first, ', 'second, ', 'third']
const source = { bucket: 'photos', key: 'k' }
const within = { bucket: 'photos', key: 'copy' }
const elsewhere = { bucket: 'archive', key: 'copy' }

let storage: VersionStorage
let staged: StagedUploads
/** Bytes that a provider has. */
let stored: Buffer | undefined
let isLinkless: boolean
let beforeLink: () => Promise<unknown>

beforeEach(async () => {
  stored = undefined
  isLinkless = false
  beforeLink = async () => {}
  storage = await openVersionStorage({
    maxBytes: 4096,
    disk: {
      ...realDisk,
      async link(path, name) {
        await beforeLink()
        if (isLinkless) throw Object.assign(new Error('no links'), { code: 'EPERM' })
        await realDisk.link(path, name)
      },
    },
    async openUncached(version) {
      const bytes = stored
      if (!bytes) throw new Error('no provider has the bytes')
      return {
        version,
        source: 'provider',
        read: ({ start, end } = { start: 0, end: bytes.length - 1 }) => chunksOf(bytes.subarray(start, end + 1)),
        async [Symbol.asyncDispose]() {},
      }
    },
  })
  await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
  staged = stageUploads(storage.uploads)
})

afterEach(async () => {
  await storage.expectSound()
  await storage[Symbol.asyncDispose]()
})

const copy = (target: CopyObject['target'], more?: Partial<CopyObject>) => storage.objects.copy({ source, target, ...more })
const textOf = async ({ bucket, key }: CopyObject['target']) =>
  Buffer.from(await readAll(await storage.objects.open(bucket, key))).toString()
const usedBytes = () => storage.cache.stats().usedBytes
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

async function pathsOf({ contentId }: ObjectVersion): Promise<string[]> {
  const blobs = await expectedBlobs(storage.database.read, contentId ?? 0)
  return blobs.map(({ blobId, epoch }) => blobPath(join(storage.dir, 'cache'), blobId, epoch))
}

const countFiles = () =>
  readdirSync(join(storage.dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

async function evict(version: ObjectVersion): Promise<void> {
  for (let made = 0; made < 2; made++) await storage.keep(version)
  await storage.uncache(version)
}

test('once files are linked a copy reads nothing more outside its transaction, so that a failed read leaves no file', async () => {
  await storage.put('k', 'bytes')
  using probes = watchProbes()
  const hold = probes.holdAt('storage.copy.linked')
  const copying = copy(elsewhere)
  await hold.reached
  const { read } = storage.database
  const failing = [vi.spyOn(read, 'get'), vi.spyOn(read, 'all')].map((spy) => spy.mockRejectedValue(new Error('the database is gone')))
  hold.release()
  await copying.finally(() => failing.map((spy) => spy.mockRestore()))
  expect([await textOf(elsewhere), countFiles()]).toEqual(['bytes', 2])
})

describe('within a bucket', () => {
  test('a copy is another reference to the content, with the headers and checksums of the source', async () => {
    const headers = { contentType: 'text/plain', system: { expires: '0' }, user: { a: 'b' } }
    const put = await storage.put('k', 'bytes', { headers, verify: () => ({ crc32: 'c' }) })
    const { version, source: copied } = await copy(within)
    expect(copied.versionId).toBe(put.versionId)
    expect(version).toMatchObject({ contentId: put.contentId, etag: put.etag, size: 5, headers: { ...headers, checksums: { crc32: 'c' } } })
    expect([await textOf(within), usedBytes(), countFiles()]).toEqual(['bytes', 5, 1])
    expect(storage.keeper.needed.map(({ reason }) => reason)).toEqual(['new', 'unstored'])
  })

  test('headers and checksums can be replaced, also of a copy onto itself', async () => {
    await storage.put('k', 'bytes')
    const headers = { contentType: 'image/png', system: {}, user: { new: 'yes' } }
    await copy(source, { headers, checksums: { sha1: 's' } })
    const found = await storage.objects.find('photos', 'k')
    expect(found?.headers).toEqual({ ...headers, checksums: { sha1: 's' } })
    expect(await textOf(source)).toBe('bytes')
  })

  test('a copy of an object made of parts keeps its ETag and its parts', async () => {
    const version = await staged.object('k', texts)
    expect((await copy(within)).version.etag).toBe(version.etag)
    expect(await storage.uploads.partsOf(within)).toHaveLength(3)
    expect(await textOf(within)).toBe(texts.join(''))
  })

  test('an evicted object is copied without a read', async () => {
    const version = await storage.put('k', 'bytes')
    await evict(version)
    await copy(within)
    expect(usedBytes()).toBe(0)
    stored = Buffer.from('bytes')
    expect(await textOf(within)).toBe('bytes')
  })

  test('lost bytes are not copied', async () => {
    const version = await storage.put('k', 'bytes')
    await loseFiles(storage, version.contentId ?? 0)
    await expect(copy(within)).rejects.toThrow('no provider has the bytes')
    expect(await storage.objects.find('photos', 'copy')).toBeUndefined()
  })

  test('a named version is copied, also over its delete marker', async () => {
    const first = await storage.put('k', 'first')
    await storage.put('k', 'second')
    await storage.objects.delete('photos', 'k')
    await copy(source, { source: { ...source, versionId: first.versionId } })
    expect(await textOf(source)).toBe('first')
  })

  test('a source that is deleted during the copy is refused', async () => {
    const { versionId } = await storage.put('k', 'bytes')
    using probes = watchProbes()
    const hold = probes.holdAt('storage.copy.committing')
    const copying = copy(within)
    await hold.reached
    await storage.versions.delete({ ...source, versionId })
    hold.release()
    await expect(copying).rejects.toMatchObject({ code: 'version_not_found' })
  })
})

describe('to another bucket', () => {
  test('cached files are linked and counted; each bucket keeps its own content', async () => {
    const version = await staged.object('k', texts)
    const { version: copied } = await copy(elsewhere)
    expect(copied).toMatchObject({ etag: version.etag, size: version.size })
    expect(copied.contentId).not.toBe(version.contentId)
    expect([usedBytes(), countFiles()]).toEqual([2 * version.size, 6])
    const inodes = async (of: ObjectVersion) => (await pathsOf(of)).map((path) => statSync(path).ino)
    expect(await inodes(copied)).toEqual(await inodes(version))
    await storage.versions.delete({ ...source, versionId: version.versionId })
    expect([await textOf(elsewhere), usedBytes(), countFiles()]).toEqual([texts.join(''), version.size, 3])
  })

  test('a second copy of the same bytes is another reference', async () => {
    await storage.put('k', 'bytes')
    const first = await copy(elsewhere)
    const second = await copy({ ...elsewhere, key: 'again' })
    expect(second.version.contentId).toBe(first.version.contentId)
    expect([usedBytes(), countFiles()]).toEqual([10, 2])
  })

  test('evicted bytes are read from a provider into a new file', async () => {
    const version = await staged.object('k', texts)
    await evict(version)
    stored = Buffer.from(texts.join(''))
    await copy(elsewhere)
    stored = undefined
    expect([await textOf(elsewhere), usedBytes()]).toEqual([texts.join(''), version.size])
  })

  const states = ['linked', 'evicted', 'not linkable'] as const

  async function bring(version: ObjectVersion, state: (typeof states)[number]): Promise<void> {
    isLinkless = state === 'not linkable'
    if (state !== 'evicted') return
    stored = Buffer.from(await textOf(source))
    await evict(version)
  }

  const uploaded = [texts, ['only']].flatMap((parts) => states.map((state) => ({ parts, count: parts.length, state })))
  test.each(uploaded)('a copy of an upload of $parts keeps ETag, parts and checksums: $state', async ({ parts, count, state }) => {
    const upload = await staged.create('k')
    const put = (text: string, at: number) => staged.put(upload, at * 7 + 1, text, { verify: () => ({ crc32: `of ${text}` }) })
    const version = await staged.complete(upload, await Promise.all(parts.map(put)), { verify: () => ({ crc32: `whole-${count}` }) })
    await bring(version, state)
    await copy(elsewhere)
    const copied = await storage.objects.find(elsewhere.bucket, elsewhere.key)
    expect(copied).toMatchObject({ etag: version.etag, size: version.size, headers: { checksums: { crc32: `whole-${count}` } } })
    expect(copied?.etag).toMatch(new RegExp(`-${count}$`))
    const copiedParts = await storage.uploads.partsOf(elsewhere)
    expect(copiedParts.map(({ checksums }) => checksums.crc32)).toEqual(parts.map((text) => `of ${text}`))
    expect(copiedParts).toEqual(await storage.uploads.partsOf(source))
    expect(await textOf(elsewhere)).toBe(parts.join(''))
  })

  test.each(states)('new headers without tags replace those of the source with its tags: %s', async (state) => {
    const headers = { contentType: 'text/plain', system: {}, user: {} }
    await bring(await storage.put('k', 'bytes', { headers: { ...headers, tags: { a: 'b' } } }), state)
    expect((await copy(elsewhere, { headers })).version.headers).toEqual({ ...headers, checksums: {} })
  })

  test('where files cannot be linked, the bytes are written again', async () => {
    isLinkless = true
    await storage.put('k', 'bytes', { verify: () => ({ crc32: 'c' }) })
    const { version } = await copy(elsewhere)
    expect(version.headers.checksums).toEqual({ crc32: 'c' })
    expect([await textOf(elsewhere), usedBytes(), countFiles()]).toEqual(['bytes', 10, 2])
  })

  test.each([false, true])('a copy does not reach a new bucket that gets the name of its target (links: %s)', async (hasLinks) => {
    isLinkless = !hasLinks
    await storage.put('k', 'bytes')
    beforeLink = async () => {
      await storage.buckets.delete('archive')
      await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
    }
    await expect(copy(elsewhere)).rejects.toMatchObject({ code: 'bucket_not_found' })
    expect(await storage.objects.find(elsewhere.bucket, elsewhere.key)).toBeUndefined()
    expect([usedBytes(), countFiles()]).toEqual([5, 1])
  })

  test('I-30: a damaged file is not linked; its bytes come from a provider', async () => {
    const version = await storage.put('k', 'bytes')
    await storage.keep(version)
    stored = Buffer.from('bytes')
    const [path = ''] = await pathsOf(version)
    await flipByte(path, 2)
    await copy(elsewhere)
    stored = undefined
    expect(await textOf(elsewhere)).toBe('bytes')
  })

  test('a file that cannot be read is not linked; its bytes come from a provider, and the entry of the source stays', async () => {
    const version = await staged.object('k', texts)
    await storage.keep(version)
    stored = Buffer.from(texts.join(''))
    const [path = ''] = await pathsOf(version)
    makeUnreadable(path)
    await copy(elsewhere)
    expect(await textOf(elsewhere)).toBe('first, second, third')
    expect(await pathsOf(version)).toHaveLength(3)
    rmSync(path)
    writeFileSync(path, texts[0] ?? '')
  })

  test('a source that is deleted before the commit is refused, also when another version has its content', async () => {
    const { versionId } = await staged.object('k', texts)
    await storage.objects.copy({ source, target: within })
    beforeLink = async () => {
      beforeLink = async () => {}
      await storage.versions.deletePermanently({ bucket: 'photos', key: 'k', versionId })
    }
    await expect(copy(elsewhere)).rejects.toMatchObject({ code: 'version_not_found' })
    await expect(storage.objects.open('archive', 'copy')).rejects.toThrow()
  })

  test('I-23: a copy that does not fit into the cache leaves nothing', async () => {
    await storage.put('k', Buffer.alloc(3000))
    await expect(copy(elsewhere)).rejects.toMatchObject({ code: 'cache_full' })
    expect([usedBytes(), countFiles()]).toEqual([3000, 1])
  })
})

test.each([
  ['within', within],
  ['elsewhere', elsewhere],
])('conditions on the source and on the target refuse the copy (%s)', async (_name, target) => {
  await storage.put('k', 'bytes')
  await storage.objects.put({ ...target, body: chunksOf(Buffer.from('present')), headers: { contentType: '', system: {}, user: {} } })
  const refuse = (what: unknown) => {
    if (what) throw new Error('refused')
  }
  await expect(copy(target, { sourceCondition: refuse })).rejects.toThrow('refused')
  await expect(copy(target, { condition: refuse })).rejects.toThrow('refused')
  expect(await textOf(target)).toBe('present')
  expect(countFiles()).toBe(2)
})

test('missing sources and targets are refused', async () => {
  await storage.put('k', 'bytes')
  await expect(copy(within, { source: { bucket: 'photos', key: 'none' } })).rejects.toMatchObject({ code: 'object_not_found' })
  await expect(copy(within, { source: { ...source, versionId: '1' } })).rejects.toMatchObject({ code: 'version_not_found' })
  await expect(copy({ bucket: 'none', key: 'k' })).rejects.toMatchObject({ code: 'bucket_not_found' })
  await expect(copy({ bucket: 'photos', key: '' })).rejects.toMatchObject({ code: 'invalid_key' })
})

describe('a part with the bytes of a version', () => {
  const into = async () => {
    const upload = await staged.create('big')
    return { upload, place: { bucket: 'photos', key: 'big', uploadId: upload.id } }
  }

  test('a whole cached file is linked, a range and a source of several files are written', async () => {
    const put = await storage.put('k', 'some bytes')
    const segmented = await staged.object('segmented', texts)
    const { upload, place } = await into()
    const before = usedBytes()
    const { part: one, source: read } = await storage.uploads.copyPart({ ...place, partNumber: 1, source })
    expect(read.versionId).toBe(put.versionId)
    expect(one).toMatchObject({ size: 10, etag: put.etag })
    expect(statSync((await pathsOf(put))[0] ?? '').nlink).toBe(2)
    const { part: two } = await storage.uploads.copyPart({ ...place, partNumber: 2, source, range: { start: 5, end: 9 } })
    expect(two.etag).toBe(md5('bytes'))
    const { part: three } = await storage.uploads.copyPart({ ...place, partNumber: 3, source: { ...source, key: 'segmented' } })
    expect(three.etag).toBe(md5(texts.join('')))
    expect(usedBytes()).toBe(before + 10 + 5 + segmented.size)
    await staged.complete(upload, [one, two, three])
    expect(await textOf({ bucket: 'photos', key: 'big' })).toBe(`some bytesbytes${texts.join('')}`)
    await storage.versions.delete({ ...source, versionId: put.versionId })
    expect(await textOf({ bucket: 'photos', key: 'big' })).toBe(`some bytesbytes${texts.join('')}`)
  })

  test('through sees the bytes, and verify gives the checksums', async () => {
    await storage.put('k', 'some bytes')
    const { place } = await into()
    const seen: Uint8Array[] = []
    const { part } = await storage.uploads.copyPart({
      ...place,
      partNumber: 1,
      source,
      async *through(bytes) {
        for await (const block of bytes) {
          seen.push(block)
          yield block
        }
      },
      verify: () => ({ crc32: Buffer.concat(seen).toString() }),
    })
    expect(part.checksums).toEqual({ crc32: 'some bytes' })
  })

  test.each([
    ['after the end', { start: 0, end: 10 }],
    ['in the wrong order', { start: 5, end: 4 }],
    ['before the start', { start: -1, end: 4 }],
  ])('a range %s is refused', async (_name, range) => {
    await storage.put('k', 'some bytes')
    const { place } = await into()
    await expect(storage.uploads.copyPart({ ...place, partNumber: 1, source, range })).rejects.toMatchObject({ code: 'invalid_copy_range' })
  })

  test('a condition on the source and a missing source refuse the part', async () => {
    await storage.put('k', 'some bytes')
    const { place } = await into()
    const sourceCondition = () => {
      throw new Error('refused')
    }
    await expect(storage.uploads.copyPart({ ...place, partNumber: 1, source, sourceCondition })).rejects.toThrow('refused')
    const missing = storage.uploads.copyPart({ ...place, partNumber: 1, source: { ...source, key: 'none' } })
    await expect(missing).rejects.toMatchObject({ code: 'object_not_found' })
    expect(countFiles()).toBe(1)
  })
})
