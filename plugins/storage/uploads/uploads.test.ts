import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allRows, createFakeClock, type FakeClock, getRow, runSql, watchProbes } from '#kernel/testing'
import { blobPath } from '../cache/files/cache-paths.ts'
import type { UploadPart } from '../contract.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { readAll } from '../testing/object-storage.ts'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const dayMs = 86_400_000
const { signal } = new AbortController()

let clock: FakeClock
let storage: VersionStorage
let staged: StagedUploads

beforeEach(async () => {
  clock = createFakeClock()
  storage = await openVersionStorage({ clock, maxBytes: 64 * 1024 })
  staged = stageUploads(storage.uploads)
})

afterEach(async () => {
  await storage.expectSound()
  await storage[Symbol.asyncDispose]()
})

const md5 = (bytes: string | Buffer) => createHash('md5').update(bytes).digest()
const etagOf = (texts: readonly string[]) => `${md5(Buffer.concat(texts.map((text) => md5(text)))).toString('hex')}-${texts.length}`

async function countFiles(): Promise<number> {
  const entries = await readdir(join(storage.dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

const usedBytes = () => storage.cache.stats().usedBytes
const contents = async () => (await getRow<{ n: number }>(storage.database.read, 'select count(*) as n from contents'))?.n

describe('I-30: a damaged part with the bytes of an older object', () => {
  async function damageFiles(): Promise<void> {
    const files = await allRows<{ id: string; epoch: number }>(
      storage.database.read,
      'select blob_id as id, epoch from cache_blobs where upload_id is not null',
    )
    expect(files).not.toEqual([])
    for (const { id, epoch } of files) await flipByte(blobPath(join(storage.dir, 'cache'), id, epoch), 2)
  }

  test('is refused, and the older object stays readable; the part uploaded again is accepted', async () => {
    await storage.put('older', 'bytes')
    const upload = await staged.create('newer')
    const part = await staged.put(upload, 7, 'bytes')
    await damageFiles()
    await expect(staged.complete(upload, [part])).rejects.toMatchObject({
      code: 'invalid_part',
      message: expect.stringMatching(/part 7 .* upload the part again/),
    })
    expect(await storage.text('older')).toBe('bytes')
    await staged.complete(upload, [await staged.put(upload, 7, 'bytes')])
    expect([await storage.text('older'), await storage.text('newer'), usedBytes(), await countFiles()]).toEqual(['bytes', 'bytes', 5, 1])
  })

  test('of several pieces and segments is found', async () => {
    await staged.object('older', ['first', 'second'])
    const upload = await staged.create('newer')
    const parts = [await staged.put(upload, 1, 'first'), await staged.put(upload, 2, 'second')]
    await damageFiles()
    await expect(staged.complete(upload, parts)).rejects.toMatchObject({ code: 'invalid_part' })
    expect(await storage.text('older')).toBe('firstsecond')
  })

  test('is refused when the object was put after the completion was planned', async () => {
    const upload = await staged.create('newer')
    const part = await staged.put(upload, 1, 'bytes')
    await damageFiles()
    using probes = watchProbes()
    const hold = probes.holdAt('storage.upload.completion-planned')
    const completing = staged.complete(upload, [part])
    await hold.reached
    await storage.put('older', 'bytes')
    hold.release()
    await expect(completing).rejects.toMatchObject({ code: 'invalid_part' })
    expect(await storage.text('older')).toBe('bytes')
  })
})

describe('completion', () => {
  test('listed parts in any order of upload become one object, and unlisted ones are dropped', async () => {
    const upload = await staged.create('video', { headers: { contentType: 'video/mp4', system: { expires: '0' }, user: { a: 'b' } } })
    const last = await staged.put(upload, 10_000, 'last')
    const first = await staged.put(upload, 2, 'first ')
    await staged.put(upload, 3, 'unlisted')
    expect(usedBytes()).toBe('first last unlisted'.length - 1)
    const version = await staged.complete(upload, [first, last], {
      expectedSize: 10,
      verify: (parts) => ({ crc32: parts.map(({ partNumber }) => partNumber).join() }),
    })
    expect(version).toMatchObject({ size: 10, etag: etagOf(['first ', 'last']), isCurrent: true, isDeleteMarker: false })
    expect(await storage.text('video')).toBe('first last')
    const found = await storage.objects.find('photos', 'video')
    expect(found?.headers).toEqual({
      contentType: 'video/mp4',
      system: { expires: '0' },
      user: { a: 'b' },
      checksums: { crc32: '2,10000' },
    })
    expect(await storage.uploads.partsOf({ bucket: 'photos', key: 'video' })).toEqual([
      { partNumber: 2, size: 6, checksums: {} },
      { partNumber: 10_000, size: 4, checksums: {} },
    ])
    expect(usedBytes()).toBe(10)
    expect(await countFiles()).toBe(2)
    expect(await storage.uploads.find({ bucket: 'photos', key: 'video', uploadId: upload.id })).toBeUndefined()
  })

  test('a part that is stored again replaces the former one and its file', async () => {
    const upload = await staged.create('k')
    const former = await staged.put(upload, 1, 'former bytes')
    const newer = await staged.put(upload, 1, 'newer')
    expect([usedBytes(), await countFiles()]).toEqual([5, 1])
    await expect(staged.complete(upload, [former])).rejects.toMatchObject({ code: 'invalid_part' })
    await staged.complete(upload, [newer])
    expect(await storage.text('k')).toBe('newer')
  })

  test('the same parts twice are one content, whose files are the newer ones', async () => {
    const first = await staged.object('a', ['one ', 'two'])
    const second = await staged.object('b', ['one ', 'two'])
    expect(second.contentId).toBe(first.contentId)
    expect([usedBytes(), await countFiles(), await contents()]).toEqual([7, 2, 1])
    expect([await storage.text('a'), await storage.text('b')]).toEqual(['one two', 'one two'])
    const other = await staged.object('c', ['one', ' two'])
    expect(other.contentId).not.toBe(first.contentId)
  })

  test('one part is the same content as a put of its bytes', async () => {
    const put = await storage.put('put', 'the bytes')
    const version = await staged.object('upload', ['the bytes'])
    expect(version.contentId).toBe(put.contentId)
    expect(version.etag).toBe(etagOf(['the bytes']))
    expect([await storage.text('put'), usedBytes(), await countFiles()]).toEqual(['the bytes', 9, 1])
  })

  test('an empty last part adds no file, and counts in the ETag', async () => {
    const version = await staged.object('k', ['bytes', ''])
    expect([version.size, version.etag, await countFiles()]).toEqual([5, etagOf(['bytes', '']), 1])
    expect(await storage.text('k')).toBe('bytes')
  })

  test('repeated with the same parts within a day it returns the same version, with others it is refused', async () => {
    const upload = await staged.create('k')
    const parts = [await staged.put(upload, 1, 'one'), await staged.put(upload, 2, 'two')]
    const version = await staged.complete(upload, parts)
    expect(await staged.complete(upload, parts)).toMatchObject({ versionId: version.versionId, etag: version.etag })
    await expect(staged.complete(upload, parts.slice(1))).rejects.toMatchObject({ code: 'upload_not_found' })
    await storage.uploads.expire(clock.now(), signal)
    expect(await staged.complete(upload, parts)).toMatchObject({ versionId: version.versionId })
    await clock.advance(dayMs + 1)
    await storage.uploads.expire(clock.now() - dayMs, signal)
    await expect(staged.complete(upload, parts)).rejects.toMatchObject({ code: 'upload_not_found' })
  })

  test('a condition that refuses leaves the upload open', async () => {
    await storage.put('k', 'exists')
    const upload = await staged.create('k')
    const part = await staged.put(upload, 1, 'bytes')
    const condition = (current: unknown) => {
      if (current) throw new Error('exists')
    }
    await expect(staged.complete(upload, [part], { condition })).rejects.toThrow('exists')
    expect(await storage.text('k')).toBe('exists')
    await staged.complete(upload, [part])
    expect(await storage.text('k')).toBe('bytes')
  })

  type Named = (parts: readonly UploadPart[]) => Parameters<StagedUploads['complete']>[1]
  const refusals: readonly (readonly [string, string, Named, Parameters<StagedUploads['complete']>[2]?])[] = [
    ['no parts', 'invalid_part', () => []],
    ['an unknown part', 'invalid_part', () => [{ partNumber: 7, etag: 'a' }]],
    ['another ETag', 'invalid_part', ([one]) => [{ ...one, partNumber: 1, etag: '0'.repeat(32) }]],
    ['another checksum', 'invalid_part', ([one]) => [{ partNumber: 1, etag: one?.etag ?? '', checksums: { crc32: 'b' } }]],
    [
      'a checksum that the part does not have',
      'invalid_part',
      ([one]) => [{ partNumber: 1, etag: one?.etag ?? '', checksums: { sha1: 'a' } }],
    ],
    ['descending parts', 'invalid_part_order', (parts) => parts.toReversed()],
    ['a part twice', 'invalid_part_order', ([one]) => (one ? [one, one] : [])],
    ['a small part before the last', 'entity_too_small', (parts) => parts, { partBytesMin: 4 }],
    ['another size', 'upload_size_mismatch', (parts) => parts, { expectedSize: 5 }],
  ]
  const refused = refusals.map(([name, code, named, more = {}]) => ({ name, code, named, more }))
  test.each(refused)('$name: refused with $code, and the upload stays open', async ({ code, named, more }) => {
    const upload = await staged.create('k')
    const parts = [await staged.put(upload, 1, 'one', { verify: () => ({ crc32: 'a' }) }), await staged.put(upload, 2, 'two')]
    await expect(staged.complete(upload, named(parts), more)).rejects.toMatchObject({ code })
    expect(await staged.complete(upload, parts)).toMatchObject({ size: 6 })
  })

  test('a part that is replaced during the completion is never mixed into the object', async () => {
    const upload = await staged.create('k')
    const parts = [await staged.put(upload, 1, 'one'), await staged.put(upload, 2, 'two')]
    using probes = watchProbes()
    const holding = probes.holdAt('storage.upload.completion-planned')
    const completing = staged.complete(upload, parts)
    await holding.reached
    await staged.put(upload, 2, 'TWO')
    holding.release()
    await expect(completing).rejects.toMatchObject({ code: 'invalid_part' })
    // The plan is made again with the same bytes.
    const again = await staged.put(upload, 2, 'two')
    expect(await staged.complete(upload, [...parts.slice(0, 1), again])).toMatchObject({ size: 6 })
    expect(await storage.text('k')).toBe('onetwo')
  })
})

describe('multipart_abort_vs_complete_race', () => {
  test('exactly one of an abort and a completion wins, and nothing of the loser stays', async () => {
    for (let round = 0; round < 20; round++) {
      const key = `k${round}`
      const upload = await staged.create(key)
      const parts = [await staged.put(upload, 1, `one ${round}`), await staged.put(upload, 2, 'two')]
      const complete = () => staged.complete(upload, parts)
      const abort = () => staged.abort(upload)
      const [first, second] = round % 2 === 0 ? [abort(), complete()] : [complete(), abort()]
      const outcomes = (await Promise.allSettled([first, second])).map(({ status }) => status)
      expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
      const isCompleted = outcomes[round % 2 === 0 ? 1 : 0] === 'fulfilled'
      expect((await storage.objects.find('photos', key)) !== undefined).toBe(isCompleted)
      await storage.expectSound()
    }
    expect(await countFiles()).toBe((await getRow<{ n: number }>(storage.database.read, 'select count(*) as n from cache_blobs'))?.n)
  })

  test('a part whose upload ends while its body is read is refused, and its file is removed', async () => {
    const upload = await staged.create('k')
    async function* body() {
      yield Buffer.from('bytes')
      await staged.abort(upload)
    }
    await expect(staged.put(upload, 1, 'bytes', { body: body() })).rejects.toMatchObject({ code: 'upload_not_found' })
    expect([usedBytes(), await countFiles()]).toEqual([0, 0])
  })
})

describe('capacity', () => {
  test('I-23: parts count as used bytes at once, after a restart and until the abort', async () => {
    const upload = await staged.create('k')
    await staged.put(upload, 1, Buffer.alloc(40_000))
    expect(storage.cache.stats()).toMatchObject({ usedBytes: 40_000, reservedBytes: 0 })
    await expect(staged.put(upload, 2, Buffer.alloc(30_000))).rejects.toMatchObject({ code: 'cache_full' })
    await expect(storage.put('k', Buffer.alloc(30_000))).rejects.toMatchObject({ code: 'cache_full' })
    const { dir, dsn } = storage
    await storage.stop()
    const reopened = await openVersionStorage({ dir, dsn, clock, maxBytes: 64 * 1024 })
    expect(reopened.cache.stats().usedBytes).toBe(40_000)
    await reopened.cache.startUpkeep()
    await reopened.expectSound()
    await stageUploads(reopened.uploads).abort(upload)
    expect(reopened.cache.stats().usedBytes).toBe(0)
    expect(await countFiles()).toBe(0)
    await reopened.stop()
    storage = await openVersionStorage({ clock })
  })

  test('a part that is too large, too short or not verified leaves nothing', async () => {
    const upload = await staged.create('k')
    const [large, largest] = [33 * 1024 * 1024, 32 * 1024 * 1024]
    await expect(staged.put(upload, 1, 'x', { size: large })).rejects.toMatchObject({
      code: 'entity_too_large',
      message:
        `a part of ${large} bytes is above the largest part of ${largest} bytes; use smaller parts, ` +
        `of an object of at most ${largest} bytes (s3.max_object_size)`,
    })
    await expect(staged.put(upload, 1, 'x', { size: 2 })).rejects.toMatchObject({ code: 'incomplete_body' })
    const verify = () => {
      throw new Error('another digest')
    }
    await expect(staged.put(upload, 1, 'x', { verify })).rejects.toThrow('another digest')
    expect([usedBytes(), await countFiles()]).toEqual([0, 0])
  })

  test.each([0, 10_001, 1.5])('part number %s is refused', async (partNumber) => {
    const upload = await staged.create('k')
    await expect(staged.put(upload, partNumber, 'x')).rejects.toMatchObject({ code: 'invalid_part_number' })
  })
})

describe('multipart_expiry', () => {
  test('idle uploads are aborted with their files; uploads with a recent part and objects stay', async () => {
    const idle = await staged.create('idle')
    const busy = await staged.create('busy')
    await staged.put(idle, 1, 'idle bytes')
    await clock.advance(6 * dayMs)
    const part = await staged.put(busy, 1, 'busy bytes')
    await staged.object('done', ['one', 'two'])
    await clock.advance(2 * dayMs)
    expect(await storage.uploads.expire(clock.now() - 7 * dayMs, signal)).toBe(1)
    await expect(staged.complete(idle, [])).rejects.toMatchObject({ code: 'upload_not_found' })
    expect([usedBytes(), await countFiles()]).toEqual([16, 3])
    await staged.complete(busy, [part])
    expect(await storage.text('busy')).toBe('busy bytes')
  })
})

describe('the deletion of a bucket', () => {
  const uploadRows = () => allRows(storage.database.read, 'select upload_id from uploads union all select upload_id from upload_parts')

  test('aborts its open uploads and forgets completed ones; a bucket with a version keeps them', async () => {
    const upload = await staged.create('k')
    const { versionId } = await staged.complete(upload, [await staged.put(upload, 1, 'x')])
    const open = await staged.create('open')
    const parts = [await staged.put(open, 1, 'some bytes'), await staged.put(open, 2, 'more')]
    await expect(storage.buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty' })
    expect(await uploadRows()).toHaveLength(4)
    await storage.versions.delete({ bucket: 'photos', key: 'k', versionId })
    await storage.buckets.delete('photos')
    expect([await uploadRows(), usedBytes(), await countFiles()]).toEqual([[], 0, 0])
    await expect(staged.create('k')).rejects.toMatchObject({ code: 'bucket_not_found' })
    await storage.buckets.create({ name: 'photos', ownerAccessKey: null })
    await expect(staged.put(open, 3, 'x')).rejects.toMatchObject({ code: 'upload_not_found' })
    await expect(staged.complete(open, parts)).rejects.toMatchObject({ code: 'upload_not_found' })
    expect([usedBytes(), await countFiles()]).toEqual([0, 0])
  })

  test('I-36: lets in no completion and no part that began before it', async () => {
    for (const probe of ['storage.upload.completion-planned', 'storage.upload.completion-committing', 'storage.upload.part-committing']) {
      const upload = await staged.create('k')
      const parts = [await staged.put(upload, 1, 'bytes')]
      using probes = watchProbes()
      const holding = probes.holdAt(probe)
      const late = probe.includes('part') ? staged.put(upload, 2, 'late') : staged.complete(upload, parts)
      await holding.reached
      await storage.buckets.delete('photos')
      await storage.buckets.create({ name: 'photos', ownerAccessKey: null })
      holding.release()
      await expect(late, probe).rejects.toMatchObject({ code: 'upload_not_found' })
      expect([await uploadRows(), usedBytes(), await countFiles()]).toEqual([[], 0, 0])
      expect(await storage.objects.find('photos', 'k')).toBeUndefined()
    }
  })

  test('of a completion and a deletion at the same time exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `race-${round}`
      await storage.buckets.create({ name, ownerAccessKey: null })
      const upload = await staged.create('k', { bucket: name })
      const parts = [await staged.put(upload, 1, `bytes ${round}`, { bucket: name })]
      const complete = () => staged.complete(upload, parts, { bucket: name })
      const both = round % 2 === 0 ? [complete(), storage.buckets.delete(name)] : [storage.buckets.delete(name), complete()]
      const failed = (await Promise.allSettled(both)).flatMap((result) => (result.status === 'rejected' ? result.reason.code : []))
      expect([['bucket_not_empty'], ['upload_not_found']]).toContainEqual(failed)
      expect(storage.buckets.find(name) !== undefined).toBe(failed[0] === 'bucket_not_empty')
    }
  })

  test('ends a great number of uploads in steps, and none of them before the bucket is empty', async () => {
    const { id: bucketId } = storage.buckets.require('photos')
    await storage.put('k', 'bytes')
    await storage.database.write(async (tx) => {
      const rows = `with recursive n (n) as (select 1 union all select n + 1 from n where n < 2500)
        insert into uploads (upload_id, bucket_id, key, content_type, created_at, active_at) select 'u' || n, ?, 'k', '', 0, 0 from n`
      await runSql(tx, rows, bucketId)
    })
    await expect(storage.buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty' })
    expect(await uploadRows()).toHaveLength(2500)
    const { versionId } = (await storage.objects.find('photos', 'k')) ?? { versionId: '' }
    await storage.versions.delete({ bucket: 'photos', key: 'k', versionId })
    using probes = watchProbes()
    const holding = probes.holdAt('storage.delete.bucket-uploads')
    const deleting = storage.buckets.delete('photos')
    await holding.reached
    expect(await uploadRows()).toHaveLength(1500)
    expect(storage.buckets.find('photos')).toBeDefined()
    holding.release()
    await deleting
    expect(await uploadRows()).toEqual([])
  })
})

describe('reads', () => {
  const texts = ['first segment, ', 'second, ', 'and the third']
  const whole = texts.join('')

  test('every range across segments has the bytes of the object', async () => {
    await staged.object('k', texts)
    for (let start = 0; start < whole.length; start += 3) {
      for (let end = start; end < whole.length; end += 5) {
        const bytes = await readAll(await storage.objects.open('photos', 'k'), { start, end })
        expect(Buffer.from(bytes).toString()).toBe(whole.slice(start, end + 1))
      }
    }
  })

  test('a large segmented object is read whole', async () => {
    const parts = [Buffer.alloc(20_000, 'a'), Buffer.alloc(30_000, 'b')]
    await staged.object('k', parts)
    expect(Buffer.compare(await readAll(await storage.objects.open('photos', 'k')), Buffer.concat(parts))).toBe(0)
  })
})

describe('lists', () => {
  test('uploads are listed by key and creation, in pages, below a prefix and with common prefixes', async () => {
    const ids: string[] = []
    for (const key of ['b', 'a/1', 'a/2', 'b', 'c/x', 'd']) {
      await clock.advance(1)
      ids.push((await staged.create(key)).id)
    }
    const names = async (more: object) => {
      const page = await storage.uploads.list({ bucket: 'photos', limit: 1000, ...more })
      return [
        ...page.uploads.map(({ id, key }) => `${key} ${ids.indexOf(id)}`),
        ...page.commonPrefixes,
        ...(page.isTruncated ? ['more'] : []),
      ]
    }
    expect(await names({})).toEqual(['a/1 1', 'a/2 2', 'b 0', 'b 3', 'c/x 4', 'd 5'])
    expect(await names({ prefix: 'a/' })).toEqual(['a/1 1', 'a/2 2'])
    expect(await names({ delimiter: '/' })).toEqual(['b 0', 'b 3', 'd 5', 'a/', 'c/'])
    expect(await names({ delimiter: '/', limit: 2 })).toEqual(['b 0', 'a/', 'more'])
    expect(await names({ delimiter: '/', afterKey: 'a/' })).toEqual(['b 0', 'b 3', 'd 5', 'c/'])
    expect(await names({ afterKey: 'b', afterUploadId: ids[0] })).toEqual(['b 3', 'c/x 4', 'd 5'])
    expect(await names({ afterKey: 'b' })).toEqual(['c/x 4', 'd 5'])
    const walked: string[] = []
    for (let last: { key: string; uploadId?: string } | undefined = { key: '' }; last; ) {
      const page = await storage.uploads.list({
        bucket: 'photos',
        delimiter: '/',
        limit: 1,
        afterKey: last.key,
        ...(last.uploadId !== undefined && { afterUploadId: last.uploadId }),
      })
      walked.push(...page.uploads.map(({ id }) => String(ids.indexOf(id))), ...page.commonPrefixes)
      last = page.isTruncated ? page.last : undefined
    }
    expect(walked).toEqual(['a/', '0', '3', 'c/', '5'])
  })

  test('parts are listed by number in pages', async () => {
    const upload = await staged.create('k', { checksumAlgorithm: 'crc32c', checksumType: 'COMPOSITE', initiator: 'AKIA' })
    for (const n of [3, 1, 2]) await staged.put(upload, n, `part ${n}`, { verify: () => ({ crc32c: `c${n}` }) })
    const place = { bucket: 'photos', key: 'k', uploadId: upload.id }
    const page = await storage.uploads.listParts({ ...place, limit: 2 })
    expect(page).toMatchObject({ isTruncated: true, upload: { checksumAlgorithm: 'crc32c', checksumType: 'COMPOSITE', initiator: 'AKIA' } })
    expect(page.parts).toEqual([1, 2].map((n) => expect.objectContaining({ partNumber: n, size: 6, checksums: { crc32c: `c${n}` } })))
    const rest = await storage.uploads.listParts({ ...place, after: 2, limit: 2 })
    expect([rest.isTruncated, rest.parts.map(({ partNumber }) => partNumber)]).toEqual([false, [3]])
    await expect(storage.uploads.listParts({ ...place, key: 'other', limit: 2 })).rejects.toMatchObject({ code: 'upload_not_found' })
  })
})
