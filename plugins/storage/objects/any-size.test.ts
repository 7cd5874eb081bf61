import { expect, test } from 'vitest'
import { allRows, getRow } from '#kernel/testing'
import { chunksOf, plainHeaders, readAll } from '../testing/object-storage.ts'
import { openVersionStorage } from '../testing/version-storage.ts'

const sizes = { bytesMin: 0, bytesMax: 32 * 1024 * 1024 }

test.each([
  ['declared', 0],
  ['of unknown length', undefined],
] as const)(
  'an empty object %s is durable at once, takes no file, is read, restored and deleted, and no keeper hears of it',
  async (_, size) => {
    await using storage = await openVersionStorage({ sizes })
    const { objects, versions, keeper, database } = storage
    const empty = new Uint8Array(0)
    const body = { bucket: 'photos', key: 'k', body: chunksOf(empty), headers: plainHeaders }
    const first = await objects.put(size === undefined ? body : { ...body, size })
    expect(first).toMatchObject({ size: 0, etag: 'd41d8cd98f00b204e9800998ecf8427e' })
    expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
    expect(await allRows(database.read, 'select state, store_state, ref_count from contents')).toEqual([
      { state: 'live', store_state: 'stored', ref_count: 1 },
    ])
    expect(await allRows(database.read, 'select blob_id from cache_blobs')).toEqual([])
    const opened = await objects.open('photos', 'k')
    expect([opened.source, (await readAll(opened)).length]).toEqual(['cache', 0])
    const second = await storage.put('k', 'bytes')
    const place = { bucket: 'photos', key: 'k' }
    const restored = await versions.restore({ ...place, versionId: first.versionId, expectedCurrentVersionId: second.versionId })
    expect(await storage.text('k')).toBe('')
    await storage.expectSound()
    expect(await versions.deletePermanently({ ...place, versionId: first.versionId })).toEqual({
      cacheRelease: 'retained',
      cleanupTaskIds: [],
    })
    expect(await versions.deletePermanently({ ...place, versionId: restored.versionId })).toEqual({
      cacheRelease: 'released',
      cleanupTaskIds: [],
    })
    expect(await getRow(database.read, 'select count(*) as n from contents')).toEqual({ n: 1 })
    expect(keeper.needed.map((needed) => needed.size)).toEqual([5])
    expect([keeper.released, keeper.deleted]).toEqual([[], []])
    await storage.expectSound()
  },
)

test('a body that is larger than a declared length of 0 is refused', async () => {
  await using storage = await openVersionStorage({ sizes })
  await expect(storage.put('k', 'x', { size: 0 })).rejects.toMatchObject({ code: 'incomplete_body' })
  expect(await storage.objects.find('photos', 'k')).toBeUndefined()
  await storage.expectSound()
})

test('the checksums of an empty object are verified and stored', async () => {
  await using storage = await openVersionStorage({ sizes })
  const version = await storage.put('k', new Uint8Array(0), { verify: ({ size, sha256 }) => ({ seen: `${size} ${sha256.slice(0, 8)}` }) })
  expect(version.headers.checksums).toEqual({ seen: '0 e3b0c442' })
  const refusal = new Error('checksum mismatch')
  const refuse = () => {
    throw refusal
  }
  await expect(storage.put('other', new Uint8Array(0), { verify: refuse })).rejects.toBe(refusal)
  expect(await storage.objects.find('photos', 'other')).toBeUndefined()
})

test('refusals name the setting of the limit', async () => {
  await using storage = await openVersionStorage({ sizes: { bytesMin: 10, bytesMax: 20 } })
  await expect(storage.put('k', 'x')).rejects.toThrow('below the smallest size of 10 bytes (s3.min_object_size)')
  await expect(storage.put('k', 'x'.repeat(21))).rejects.toThrow('above the largest size of 20 bytes (s3.max_object_size)')
})
