import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { runSql, silentLog } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { type ObjectStorage, openObjectStorage, readAll } from '../testing/object-storage.ts'
import { createObjects } from './objects.ts'
import { pieceParts, pieceSizes } from './size-policy.ts'

async function expectSound({ database, dir, cache }: ObjectStorage): Promise<void> {
  const { usedBytes, reservedBytes } = cache.stats()
  expect(await checkInvariants(database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
  expect(reservedBytes).toBe(0)
}

test('a put object is found, opened and listed with all its headers and checksums', async () => {
  await using storage = await openObjectStorage()
  const headers = {
    contentType: 'text/plain; charset=utf-8',
    system: { 'cache-control': 'no-cache' },
    user: { 'name-with-\xe9': 'caf\xe9' },
  }
  const put = await storage.put('a/ключ 🗝', 'hello', {
    headers,
    verify: ({ size, md5, sha256 }) => {
      expect([size, md5]).toEqual([5, '5d41402abc4b2a76b9719d911017c592'])
      expect(sha256).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')
      return { crc32: 'NhCmhg==' }
    },
  })
  expect(put).toMatchObject({ isCurrent: true, isDeleteMarker: false, size: 5, etag: '5d41402abc4b2a76b9719d911017c592' })

  const found = await storage.objects.find('photos', 'a/ключ 🗝')
  expect(found).toMatchObject({ versionId: put.versionId, size: 5, etag: put.etag, isCurrent: true, createdAtMs: put.createdAtMs })
  expect(found?.headers).toEqual({ ...headers, checksums: { crc32: 'NhCmhg==' } })
  expect(put.headers).toEqual(found?.headers)
  expect(await storage.text('a/ключ 🗝')).toBe('hello')
  expect(await storage.objects.list({ bucket: 'photos', limit: 10 })).toEqual({
    entries: [
      {
        id: 1,
        key: 'a/ключ 🗝',
        versionId: put.versionId,
        contentId: put.contentId,
        size: 5,
        etag: put.etag,
        lastModifiedMs: put.createdAtMs,
      },
    ],
    commonPrefixes: [],
    isTruncated: false,
    last: 'a/ключ 🗝',
  })
  expect(await storage.buckets.usages([put.bucketId])).toEqual([{ objectCount: 1, totalSizeBytes: 5 }])
  await expectSound(storage)
})

test('ranges return exactly their bytes, also across blocks', async () => {
  await using storage = await openObjectStorage()
  const bytes = randomBytes(3 * 1024 * 1024 + 17)
  await storage.put('big', bytes)
  const read = async (start: number, end: number) => readAll(await storage.objects.open('photos', 'big'), { start, end })
  for (const [start, end] of [
    [0, 0],
    [0, bytes.length - 1],
    [262_143, 262_144],
    [1_000_000, 2_500_000],
    [bytes.length - 1, bytes.length - 1],
  ] as const) {
    expect(Buffer.compare(await read(start, end), bytes.subarray(start, end + 1))).toBe(0)
  }
  expect(Buffer.compare(await readAll(await storage.objects.open('photos', 'big')), bytes)).toBe(0)
})

test('an overwritten object keeps its former version', async () => {
  await using storage = await openObjectStorage()
  const first = await storage.put('k', 'one')
  const second = await storage.put('k', 'second')
  expect(await storage.text('k')).toBe('second')
  expect(await storage.text('k', first.versionId)).toBe('one')
  expect(await storage.objects.find('photos', 'k', first.versionId)).toMatchObject({ isCurrent: false })
  expect(await storage.objects.find('photos', 'k', second.versionId)).toMatchObject({ isCurrent: true })
  expect(await storage.objects.find('photos', 'other', second.versionId)).toBeUndefined()
  expect(await storage.buckets.usages([first.bucketId])).toEqual([{ objectCount: 1, totalSizeBytes: 6 }])
  await expectSound(storage)
})

test('a delete adds a marker, also on a deleted key and on one that never existed', async () => {
  await using storage = await openObjectStorage()
  const data = await storage.put('k', 'bytes')
  const marker = await storage.objects.delete('photos', 'k')
  expect(marker).toMatchObject({ isDeleteMarker: true, isCurrent: true, contentId: null, size: 0, etag: '' })
  expect(await storage.objects.find('photos', 'k')).toMatchObject({ isDeleteMarker: true, versionId: marker.versionId })
  await expect(storage.objects.open('photos', 'k')).rejects.toMatchObject({ code: 'object_not_found' })
  await expect(storage.objects.open('photos', 'k', marker.versionId)).rejects.toMatchObject({ code: 'is_delete_marker', status: 405 })
  await expect(storage.objects.open('photos', 'k', 'none')).rejects.toMatchObject({ code: 'version_not_found' })
  expect(await storage.text('k', data.versionId)).toBe('bytes')
  expect((await storage.objects.list({ bucket: 'photos', limit: 5 })).entries).toEqual([])
  await expectSound(storage)

  await storage.objects.delete('photos', 'k')
  await storage.objects.delete('photos', 'never-existed')
  expect(await storage.buckets.usages([data.bucketId])).toEqual([{ objectCount: 0, totalSizeBytes: 0 }])
  await expectSound(storage)

  await storage.put('k', 'again')
  expect(await storage.text('k')).toBe('again')
  await expectSound(storage)
})

test('I-18: concurrent puts of the same bytes share one content and one file', async () => {
  const reasons: string[] = []
  await using storage = await openObjectStorage({ onNewContent: async (_tx, { reason }) => void reasons.push(reason) })
  const versions = await Promise.all(Array.from({ length: 16 }, (_, n) => storage.put(`copy-${n}`, 'the same bytes')))
  expect(new Set(versions.map(({ contentId }) => contentId)).size).toBe(1)
  expect(reasons).toEqual(['new', ...Array.from({ length: 15 }, () => 'unstored')])
  expect(storage.cache.stats().usedBytes).toBe(14)
  expect(await storage.text('copy-7')).toBe('the same bytes')
  await expectSound(storage)
})

test('I-17: of concurrent puts of one key the last to commit becomes current, and every version stays', async () => {
  await using storage = await openObjectStorage()
  const versions = await Promise.all(Array.from({ length: 24 }, (_, n) => storage.put('contended', `body ${n}`)))
  const current = await storage.objects.find('photos', 'contended')
  expect(versions.map(({ versionId }) => versionId)).toContain(current?.versionId)
  for (const [n, { versionId }] of versions.entries()) expect(await storage.text('contended', versionId)).toBe(`body ${n}`)
  expect((await storage.buckets.usages([1]))[0]?.objectCount).toBe(1)
  await expectSound(storage)
})

test('versions of a key stay in order of commit when the clock goes back', async () => {
  let nowMs = 5_000_000
  await using storage = await openObjectStorage({ clock: { now: () => nowMs, sleep: () => Promise.resolve() } })
  await storage.put('k', 'first')
  nowMs -= 1_000_000
  const later = await storage.put('k', 'later')
  expect((await storage.objects.find('photos', 'k'))?.versionId).toBe(later.versionId)
  await expectSound(storage)
})

test('a failed condition refuses inside the transaction and leaves no rows or files', async () => {
  await using storage = await openObjectStorage()
  const first = await storage.put('k', 'one')
  const taken = new Error('taken')
  const ifAbsent = (current: unknown) => {
    if (current) throw taken
  }
  await expect(storage.put('k', 'two', { condition: ifAbsent })).rejects.toBe(taken)
  await expect(storage.objects.delete('photos', 'k', ifAbsent)).rejects.toBe(taken)
  expect((await storage.objects.find('photos', 'k'))?.versionId).toBe(first.versionId)
  await storage.put('fresh', 'two', { condition: ifAbsent })
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => storage.put('race', `r${n}`, { condition: ifAbsent })))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expectSound(storage)
})

test('a refused body leaves no rows or files', async () => {
  await using storage = await openObjectStorage({ sizes: { bytesMin: 4, bytesMax: 10 } })
  const refusals = [
    ['invalid_key', () => storage.put('', 'bytes')],
    ['invalid_key', () => storage.put('a\0b', 'bytes')],
    ['invalid_key', () => storage.put('\ud800', 'bytes')],
    ['invalid_key', () => storage.put('é'.repeat(513), 'bytes')],
    ['bucket_not_found', () => storage.put('k', 'bytes', { bucket: 'nowhere' })],
    ['entity_too_small', () => storage.put('k', 'abc')],
    ['entity_too_large', () => storage.put('k', 'eleven byte')],
    ['incomplete_body', () => storage.put('k', 'short', { size: 6 })],
    ['incomplete_body', () => storage.put('k', 'longer', { size: 5 })],
    ['entity_too_large', () => storage.objects.put({ bucket: 'photos', key: 'k', body: slow('123456', '789012'), headers: headers() })],
    ['entity_too_small', () => storage.objects.put({ bucket: 'photos', key: 'k', body: slow('1', '2'), headers: headers() })],
  ] as const
  for (const [code, attempt] of refusals) await expect(attempt()).rejects.toMatchObject({ code })
  const refused = new Error('digest differs')
  const verify = () => {
    throw refused
  }
  await expect(storage.put('k', 'bytes', { verify })).rejects.toBe(refused)
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  expect(await storage.objects.find('photos', 'k')).toBeUndefined()
  await expectSound(storage)
})

const headers = () => ({ contentType: 'text/plain', system: {}, user: {} })

async function* slow(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text)
}

test('content types are read by version id, and usages are summed over all buckets', async () => {
  await using storage = await openObjectStorage()
  const { buckets, objects } = storage
  expect(await buckets.totalUsage()).toEqual({ objectCount: 0, totalSizeBytes: 0 })
  const of = (contentType: string) => ({ headers: { contentType, system: {}, user: {} } })
  const text = await storage.put('k', 'text', of('text/plain'))
  const image = await storage.put('k', 'an image', of('image/png'))
  expect(await objects.contentTypes([text.versionId, image.versionId, 'none'])).toEqual(
    new Map([
      [text.versionId, 'text/plain'],
      [image.versionId, 'image/png'],
    ]),
  )
  expect(await objects.contentTypes([])).toEqual(new Map())
  await buckets.create({ name: 'other', ownerAccessKey: null })
  await storage.put('k', 'in another bucket', { bucket: 'other' })
  expect(await buckets.totalUsage()).toEqual({ objectCount: 2, totalSizeBytes: 25 })
})

test('reads are counted by the source of their bytes', async () => {
  await using storage = await openObjectStorage()
  const { contentId } = await storage.put('k', 'bytes')
  const reads: string[] = []
  const { database, buckets, cache, keepers } = storage
  const objects = createObjects({
    sizes: () => pieceSizes,
    parts: pieceParts,
    database,
    keepers,
    log: silentLog,
    buckets,
    cache,
    clock: systemClock,
    onRead: (from) => void reads.push(from),
    openUncached: async (version) => ({
      version,
      source: 'provider',
      async *read() {
        yield Buffer.from('bytes')
      },
      async [Symbol.asyncDispose]() {},
    }),
  })
  await readAll(await objects.open('photos', 'k'))
  await expect(objects.open('photos', 'none')).rejects.toMatchObject({ code: 'object_not_found' })
  await database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2 where id = ?', contentId)
    await runSql(tx, 'update cache_entries set releasable = 1 where content_id = ?', contentId)
  })
  await cache.evict(Number(contentId))
  await readAll(await objects.open('photos', 'k'))
  expect(reads).toEqual(['cache', 'provider'])
})
