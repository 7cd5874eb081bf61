import { unlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { chunksOf } from '../testing/object-storage.ts'
import { makeUnreadable } from '../testing/unreadable-file.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const restore = ({ versions }: VersionStorage, source: ObjectVersion, current: ObjectVersion) =>
  versions.restore({ bucket: 'photos', key: source.key, versionId: source.versionId, expectedCurrentVersionId: current.versionId })

test('a restore creates a new version with the bytes of the older one, without copying them', async () => {
  await using storage = await openVersionStorage()
  const headers = { contentType: 'text/plain', system: { 'cache-control': 'no-cache' }, user: { a: 'b' } }
  const first = await storage.put('k', 'one', { headers })
  const second = await storage.put('k', 'second')
  const before = storage.cache.stats().usedBytes
  const restored = await restore(storage, first, second)
  expect(restored).toMatchObject({ key: 'k', contentId: first.contentId, isCurrent: true, size: 3, etag: first.etag })
  expect(restored.headers).toEqual({ ...headers, checksums: {} })
  expect([first.versionId, second.versionId]).not.toContain(restored.versionId)
  expect(await storage.text('k')).toBe('one')
  expect(storage.cache.stats().usedBytes).toBe(before)
  expect((await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 10 })).versions.map(({ versionId }) => versionId)).toEqual([
    restored.versionId,
    second.versionId,
    first.versionId,
  ])
  await storage.expectSound()
})

test('an older version can be restored over a delete marker', async () => {
  await using storage = await openVersionStorage()
  const first = await storage.put('k', 'one')
  const marker = await storage.objects.delete('photos', 'k')
  await restore(storage, first, marker)
  expect(await storage.text('k')).toBe('one')
  await storage.expectSound()
})

test('a restore refuses a version that is already current, a changed current version and a delete marker', async () => {
  await using storage = await openVersionStorage()
  const first = await storage.put('k', 'one')
  const marker = await storage.objects.delete('photos', 'k')
  const second = await storage.put('k', 'second')
  const again = await storage.put('k', 'second')
  await expect(restore(storage, first, second)).rejects.toMatchObject({ code: 'object_version_changed', status: 409 })
  await expect(restore(storage, marker, again)).rejects.toMatchObject({ code: 'object_version_is_delete_marker', status: 409 })
  await expect(restore(storage, again, again)).rejects.toMatchObject({ code: 'object_version_already_current', status: 409 })
  await expect(restore(storage, second, again)).rejects.toMatchObject({ code: 'object_version_already_current' })
  await expect(restore(storage, { ...first, versionId: 'none' }, again)).rejects.toMatchObject({ code: 'version_not_found', status: 404 })
  await expect(restore(storage, { ...first, key: 'other' }, again)).rejects.toMatchObject({ code: 'version_not_found' })
  expect((await storage.objects.find('photos', 'k'))?.versionId).toBe(again.versionId)
  await storage.expectSound()
})

test('a version with the same bytes but other headers can be restored', async () => {
  await using storage = await openVersionStorage()
  const plain = await storage.put('k', 'bytes', { headers: { contentType: 'text/plain', system: {}, user: {} } })
  const page = await storage.put('k', 'bytes', { headers: { contentType: 'text/html', system: {}, user: {} } })
  expect((await restore(storage, plain, page)).headers.contentType).toBe('text/plain')
  await storage.expectSound()
})

test('of concurrent restores one succeeds', async () => {
  await using storage = await openVersionStorage()
  const versions = [await storage.put('k', 'a'), await storage.put('k', 'b'), await storage.put('k', 'c')]
  const current = await storage.put('k', 'd')
  const results = await Promise.allSettled(versions.map((version) => restore(storage, version, current)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'object_version_changed' })
  await storage.expectSound()
})

/** A provider that serves the bytes. */
const provider =
  (bytes: string) =>
  async (version: ObjectVersion): Promise<OpenedObject> => ({
    version,
    source: 'provider',
    read: () => chunksOf(Buffer.from(bytes), 2),
    async [Symbol.asyncDispose]() {},
  })

async function withRemoteBytes(remote: string, maxBytes?: number) {
  const storage = await openVersionStorage({ openUncached: provider(remote), ...(maxBytes === undefined ? {} : { maxBytes }) })
  const first = await storage.put('k', 'old bytes')
  const second = await storage.put('k', 'new')
  await storage.keep(first)
  await storage.keep(first)
  await storage.uncache(first)
  return { storage, first, second }
}

test('bytes that are only at a provider are first fetched into the cache and verified', async () => {
  const { storage, first, second } = await withRemoteBytes('old bytes')
  await using _ = storage
  await restore(storage, first, second)
  expect(await storage.text('k')).toBe('old bytes')
  expect((await storage.objects.open('photos', 'k')).source).toBe('cache')
  await storage.expectSound()
})

test('a missing cached file is fetched again', async () => {
  const { storage, first, second } = await withRemoteBytes('old bytes')
  await using _ = storage
  const third = await restore(storage, first, second)
  const [blob] = await blobsOfContent(storage.database.read, first.contentId ?? 0)
  if (blob) unlinkSync(storage.cache.pathOf(blob))
  const fourth = await storage.put('k', 'newest')
  await restore(storage, third, fourth)
  expect(await storage.text('k')).toBe('old bytes')
  await storage.expectSound()
})

test('I-30: a damaged cached file is not used for a restore but fetched again', async () => {
  const { storage, first, second } = await withRemoteBytes('old bytes')
  await using _ = storage
  const third = await restore(storage, first, second)
  const [blob] = await blobsOfContent(storage.database.read, first.contentId ?? 0)
  if (blob) await flipByte(storage.cache.pathOf(blob), 3)
  const fourth = await storage.put('k', 'newest')
  await restore(storage, third, fourth)
  expect(await blobsOfContent(storage.database.read, first.contentId ?? 0)).not.toEqual([blob])
  expect(await storage.text('k')).toBe('old bytes')
  await storage.expectSound()
})

async function breakFile(storage: VersionStorage, { contentId }: ObjectVersion) {
  const [blob] = await blobsOfContent(storage.database.read, contentId ?? 0)
  if (!blob) throw new Error('the content is not cached')
  makeUnreadable(storage.cache.pathOf(blob))
  return blob
}

test('a cached file that cannot be read is replaced by the bytes of a provider', async () => {
  const { storage, first, second } = await withRemoteBytes('old bytes')
  await using _ = storage
  const third = await restore(storage, first, second)
  const blob = await breakFile(storage, first)
  const fourth = await storage.put('k', 'newest')
  await restore(storage, third, fourth)
  expect(await blobsOfContent(storage.database.read, first.contentId ?? 0)).not.toEqual([blob])
  expect(await storage.text('k')).toBe('old bytes')
  await storage.expectSound()
})

test('a restore keeps a cached file that cannot be read when no provider answers: its bytes may be the only ones', async () => {
  await using storage = await openVersionStorage()
  const first = await storage.put('k', 'old bytes')
  const second = await storage.put('k', 'new')
  const blob = await breakFile(storage, first)
  await expect(restore(storage, first, second)).rejects.toMatchObject({ code: 'restore_source_unreadable', status: 500 })
  expect(await blobsOfContent(storage.database.read, first.contentId ?? 0)).toEqual([blob])
  expect(await storage.text('k')).toBe('new')
})

test('a restore changes nothing when the provider sends wrong bytes or is unreadable', async () => {
  for (const remote of ['new bytes', 'old', 'old bytes and more']) {
    const { storage, first, second } = await withRemoteBytes(remote)
    await using _ = storage
    await expect(restore(storage, first, second)).rejects.toMatchObject({ code: 'restore_source_unreadable', status: 500 })
    expect(await storage.text('k')).toBe('new')
    await storage.expectSound()
  }
  await using storage = await openVersionStorage()
  const first = await storage.put('k', 'old bytes')
  const second = await storage.put('k', 'new')
  await storage.keep(first)
  await storage.keep(first)
  await storage.uncache(first)
  await expect(restore(storage, first, second)).rejects.toMatchObject({ code: 'restore_source_unreadable' })
  await storage.expectSound()
})

test('a restore changes nothing when the cache has no space for the fetched bytes', async () => {
  const { storage, first, second } = await withRemoteBytes('old bytes', 12)
  await using _ = storage
  await storage.put('filler', 'filler')
  await expect(restore(storage, first, second)).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  expect(await storage.text('k')).toBe('new')
  await storage.expectSound()
})

test('an unreadable current version can be replaced by an equal one', async () => {
  await using storage = await openVersionStorage()
  const first = await storage.put('k', 'bytes')
  const second = await storage.put('k', 'bytes')
  await storage.database.write((tx) => runSql(tx, `update contents set store_state = 'failed'`))
  expect((await restore(storage, first, second)).contentId).toBe(first.contentId)
  await storage.expectSound()
})

test('undelete restores the newest data version under any number of delete markers', async () => {
  await using storage = await openVersionStorage()
  await storage.put('k', 'one')
  const first = await storage.objects.delete('photos', 'k')
  const data = await storage.put('k', 'two')
  const second = await storage.objects.delete('photos', 'k')
  const third = await storage.objects.delete('photos', 'k')
  const undelete = (versionId: string, key = 'k') => storage.versions.restoreDeleted({ bucket: 'photos', key, versionId })
  await expect(undelete(second.versionId)).rejects.toMatchObject({ code: 'object_version_changed', status: 409 })
  await expect(undelete('none')).rejects.toMatchObject({ code: 'version_not_found' })
  await expect(undelete(third.versionId, 'other')).rejects.toMatchObject({ code: 'object_not_found', status: 404 })
  expect(await undelete(third.versionId)).toMatchObject({ versionId: data.versionId, isCurrent: true })
  expect(await storage.text('k')).toBe('two')
  expect(await storage.objects.find('photos', 'k', second.versionId)).toBeUndefined()
  expect(await storage.objects.find('photos', 'k', first.versionId)).toBeDefined()
  await storage.expectSound()
  await expect(undelete(data.versionId)).rejects.toMatchObject({ code: 'object_version_changed' })
  const onlyMarker = await storage.objects.delete('photos', 'never-existed')
  await expect(undelete(onlyMarker.versionId, 'never-existed')).rejects.toMatchObject({ code: 'object_not_found' })
  await storage.expectSound()
})
