import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, watchProbes } from '#kernel/testing'
import type { ObjectVersion, UploadPart } from '../contract.ts'
import { loseFiles } from '../testing/lose-files.ts'
import { chunksOf, readAll } from '../testing/object-storage.ts'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const bytesMax = 1024

let storage: VersionStorage
let staged: StagedUploads

beforeEach(async () => {
  storage = await openVersionStorage({
    sizes: { bytesMin: 0, bytesMax: 64 * bytesMax },
    parts: { bytesMax, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 },
    maxBytes: 256 * bytesMax,
  })
  staged = stageUploads(storage.uploads)
})

afterEach(async () => {
  await storage.expectSound()
  await storage[Symbol.asyncDispose]()
})

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest()
const read = async (key: string, range?: { start: number; end: number }, bucket = 'photos') =>
  Buffer.from(await readAll(await storage.objects.open(bucket, key), range))
const usedBytes = () => storage.cache.stats().usedBytes
const count = async (table: string) => (await getRow<{ n: number }>(storage.database.read, `select count(*) as n from ${table}`))?.n
const countFiles = async () =>
  (await readdir(join(storage.dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length
const leaves = ({ contentId }: ObjectVersion) =>
  allRows<{ id: number; length: number }>(
    storage.database.read,
    'select part_content_id as id, length from content_parts where content_id = ? order by part_no',
    contentId,
  )

test('parts above the size of one piece become an object of several contents, in one transaction and without copying bytes', async () => {
  const bodies = [600, 400, 700, 300, 50].map((size) => randomBytes(size))
  const whole = Buffer.concat(bodies)
  const version = await staged.object('k', bodies)
  const etag = `${md5(Buffer.concat(bodies.map(md5))).toString('hex')}-5`
  expect(version).toMatchObject({ size: 2050, etag, isCurrent: true })
  // A part is never split.
  expect((await leaves(version)).map(({ length }) => length)).toEqual([1000, 1000, 50])
  expect(storage.keeper.needed.map(({ size, reason }) => [size, reason])).toEqual([
    [1000, 'new'],
    [1000, 'new'],
    [50, 'new'],
  ])
  expect((await read('k')).equals(whole)).toBe(true)
  for (const [start, end] of [
    [0, 0],
    [599, 600],
    [999, 1000],
    [650, 2040],
    [2049, 2049],
  ] as const) {
    expect((await read('k', { start, end })).equals(whole.subarray(start, end + 1))).toBe(true)
  }
  expect([usedBytes(), await countFiles(), await count('held_parts'), await count('upload_parts')]).toEqual([2050, 5, 0, 0])
  expect(await storage.uploads.partsOf({ bucket: 'photos', key: 'k' })).toHaveLength(5)
})

test('an upload whose contents equal those of a put is the same content, and equal contents are stored once', async () => {
  const [a, b] = [randomBytes(bytesMax), randomBytes(bytesMax)]
  const put = await storage.put('put', Buffer.concat([a, b, a]))
  const version = await staged.object('upload', [a, b, a])
  expect(version.contentId).toBe(put.contentId)
  expect([usedBytes(), await countFiles(), await count('contents')]).toEqual([2 * bytesMax, 2, 3])
  expect((await read('put')).equals(Buffer.concat([a, b, a]))).toBe(true)
  const zeros = await staged.object('zeros', [Buffer.alloc(bytesMax), Buffer.alloc(bytesMax)])
  expect(new Set((await leaves(zeros)).map(({ id }) => id)).size).toBe(1)
  expect([usedBytes(), await countFiles()]).toEqual([3 * bytesMax, 3])
  expect((await read('zeros')).equals(Buffer.alloc(2 * bytesMax))).toBe(true)
})

test('a refused completion, and one whose part is replaced meanwhile, leave the upload open and hold nothing', async () => {
  const upload = await staged.create('k')
  const parts: UploadPart[] = []
  for (const at of [1, 2, 3]) parts.push(await staged.put(upload, at, Buffer.alloc(700, at)))
  const condition = () => {
    throw new Error('refused')
  }
  await expect(staged.complete(upload, parts, { condition })).rejects.toThrow('refused')
  expect([await count('contents'), await count('held_parts'), usedBytes()]).toEqual([0, 0, 2100])
  using probes = watchProbes()
  const hold = probes.holdAt('storage.upload.completion-committing')
  const completing = staged.complete(upload, parts)
  await hold.reached
  await staged.put(upload, 3, 'other bytes')
  hold.release()
  await expect(completing).rejects.toMatchObject({ code: 'invalid_part' })
  expect([await count('contents'), await count('content_parts'), usedBytes()]).toEqual([0, 0, 1411])
  await staged.abort(upload)
  expect([usedBytes(), await countFiles()]).toEqual([0, 0])
})

test('an upload of no bytes is an empty object without a file', async () => {
  const version = await staged.object('empty', [''])
  expect(version).toMatchObject({ size: 0, etag: `${md5(md5(Buffer.alloc(0))).toString('hex')}-1` })
  const put = await storage.put('put', '')
  expect(put.contentId).toBe(version.contentId)
  expect(await read('empty')).toHaveLength(0)
  expect([usedBytes(), await countFiles(), storage.keeper.needed]).toEqual([0, 0, []])
})

test('a part is at most one piece, and the parts together at most the largest object', async () => {
  const upload = await staged.create('k')
  const tooLarge = Buffer.alloc(bytesMax + 1)
  const limit = `is above the largest part of ${bytesMax} bytes; use smaller parts`
  const refused = (size: number | undefined) => ({ code: 'entity_too_large', details: { ...(size && { size }), bytesMax } })
  await expect(staged.put(upload, 1, tooLarge)).rejects.toMatchObject({ ...refused(1025), message: `a part of 1025 bytes ${limit}` })
  const place = { bucket: 'photos', key: 'k', uploadId: upload.id, partNumber: 1 }
  const streamed = storage.uploads.putPart({ ...place, body: chunksOf(tooLarge) })
  await expect(streamed).rejects.toMatchObject({ ...refused(undefined), message: `the part ${limit}` })
  await storage.put('source', tooLarge)
  const copied = storage.uploads.copyPart({ ...place, source: { bucket: 'photos', key: 'source' } })
  await expect(copied).rejects.toMatchObject({ ...refused(1025), message: `a part of 1025 bytes ${limit}` })
  const parts: UploadPart[] = []
  for (let at = 1; at <= 65; at++) parts.push(await staged.put(upload, at, Buffer.alloc(bytesMax, at)))
  await expect(staged.complete(upload, parts)).rejects.toMatchObject({
    code: 'entity_too_large',
    message: `an object of ${65 * bytesMax} bytes is above the largest size of ${64 * bytesMax} bytes (s3.max_object_size); s3.object_sizes = "any" allows 5497558138880 bytes`,
  })
  expect(await staged.complete(upload, parts.slice(1))).toMatchObject({ size: 64 * bytesMax })
})

test('within a bucket a copy of a large object refers to it, and the parts end with the last version', async () => {
  const bodies = [Buffer.alloc(1000, 'a'), Buffer.alloc(900, 'b')]
  const version = await staged.object('k', bodies)
  storage.keeper.needed.length = 0
  const { version: copied } = await storage.objects.copy({
    source: { bucket: 'photos', key: 'k' },
    target: { bucket: 'photos', key: 'copy' },
  })
  expect(copied).toMatchObject({ contentId: version.contentId, etag: version.etag, size: 1900 })
  expect(storage.keeper.needed.map(({ size, reason }) => [size, reason])).toEqual([
    [1000, 'unstored'],
    [900, 'unstored'],
  ])
  await storage.expectSound()
  await storage.versions.deletePermanently({ bucket: 'photos', key: 'k', versionId: version.versionId })
  expect((await read('copy')).equals(Buffer.concat(bodies))).toBe(true)
  await storage.versions.deletePermanently({ bucket: 'photos', key: 'copy', versionId: copied.versionId })
  expect([usedBytes(), await count('content_parts')]).toEqual([0, 0])
})

test('to another bucket a large object and an empty one are copied with contents of their own', async () => {
  await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
  const bodies = [Buffer.alloc(1000, 'a'), Buffer.alloc(900, 'b')]
  const version = await staged.object('k', bodies)
  await storage.put('empty', '')
  await staged.object('a part without bytes', [''])
  for (const [key, parts] of [
    ['k', 2],
    ['empty', 0],
    ['a part without bytes', 1],
  ] as const) {
    const { version, source } = await storage.objects.copy({ source: { bucket: 'photos', key }, target: { bucket: 'archive', key } })
    const [copied, original] = await Promise.all(['archive', 'photos'].map((bucket) => storage.uploads.partsOf({ bucket, key })))
    expect([version.etag, copied]).toEqual([source.etag, original])
    expect(copied).toHaveLength(parts)
  }
  await storage.objects.copy({ source: { bucket: 'photos', key: 'empty' }, target: { bucket: 'photos', key: 'again' } })
  await storage.versions.deletePermanently({ bucket: 'photos', key: 'k', versionId: version.versionId })
  expect((await read('k', undefined, 'archive')).equals(Buffer.concat(bodies))).toBe(true)
  expect(await read('empty', undefined, 'archive')).toHaveLength(0)
  expect(await read('again')).toHaveLength(0)
})

test('a part can be a range of a large object over the border of its contents', async () => {
  await staged.object('k', [Buffer.alloc(1000, 'a'), Buffer.alloc(900, 'b')])
  const upload = await staged.create('copy')
  const place = { bucket: 'photos', key: 'copy', uploadId: upload.id }
  const source = { bucket: 'photos', key: 'k' }
  const { part } = await storage.uploads.copyPart({ ...place, partNumber: 1, source, range: { start: 990, end: 1009 } })
  await staged.complete(upload, [part])
  expect((await read('copy')).toString()).toBe(`${'a'.repeat(10)}${'b'.repeat(10)}`)
  const again = await staged.create('copy')
  const whole = storage.uploads.copyPart({ ...place, uploadId: again.id, partNumber: 1, source })
  await expect(whole).rejects.toMatchObject({ code: 'entity_too_large' })
})

test('a large object with a lost part is neither copied nor read as a whole', async () => {
  const version = await staged.object('k', [Buffer.alloc(1000, 'a'), Buffer.alloc(900, 'b')])
  const [, lost] = await leaves(version)
  await loseFiles(storage, lost?.id ?? 0)
  const copying = storage.objects.copy({ source: { bucket: 'photos', key: 'k' }, target: { bucket: 'photos', key: 'copy' } })
  await expect(copying).rejects.toMatchObject({ code: 'content_unavailable' })
  await expect(read('k')).rejects.toMatchObject({ code: 'content_unavailable' })
})

test('I-36: a bucket with the first parts of an unfinished put is not deleted', async () => {
  await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
  const { promise, resolve } = Promise.withResolvers<void>()
  const { promise: held, resolve: onHeld } = Promise.withResolvers<void>()
  async function* body() {
    yield Buffer.alloc(bytesMax + 1)
    onHeld()
    await promise
    yield Buffer.alloc(1)
  }
  using probes = watchProbes()
  const first = probes.holdAt('storage.put.part-committed')
  const putting = storage.put('k', new Uint8Array(bytesMax + 2), { bucket: 'archive', body: body() })
  await first.reached
  await expect(storage.buckets.delete('archive')).rejects.toMatchObject({ code: 'bucket_not_empty' })
  first.release()
  await held
  resolve()
  expect(await putting).toMatchObject({ size: bytesMax + 2 })
})

test('I-36: a put whose bucket is deleted before its first part is committed leaves nothing', async () => {
  await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
  using probes = watchProbes()
  const hold = probes.holdAt('storage.put.folder-synced')
  const putting = storage.put('k', new Uint8Array(2 * bytesMax), { bucket: 'archive' })
  await hold.reached
  await storage.buckets.delete('archive')
  hold.release()
  await expect(putting).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect([await count('contents'), await countFiles(), storage.keeper.needed]).toEqual([0, 0, []])
})
