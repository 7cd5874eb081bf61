import { expect, test } from 'vitest'
import { openVersionStorage } from '../testing/version-storage.ts'

test('tags are stored with a version, replaced without a new version, and belong to that version only', async () => {
  await using storage = await openVersionStorage()
  const headers = { contentType: 'text/plain', system: {}, user: {} }
  const tagged = await storage.put('k', 'one', { headers: { ...headers, tags: { a: '1', b: '' } } })
  const plain = await storage.put('k', 'two', { headers })
  const tagsOf = async (versionId?: string) => (await storage.objects.find('photos', 'k', versionId))?.headers.tags
  expect(await tagsOf(tagged.versionId)).toEqual({ a: '1', b: '' })
  expect(await tagsOf()).toBeUndefined()
  await storage.versions.setTags({ bucket: 'photos', key: 'k', versionId: tagged.versionId, tags: { c: '3' } })
  await storage.versions.setTags({ bucket: 'photos', key: 'k', versionId: plain.versionId, tags: { d: '4' } })
  expect(await tagsOf(tagged.versionId)).toEqual({ c: '3' })
  expect(await tagsOf()).toEqual({ d: '4' })
  await storage.versions.setTags({ bucket: 'photos', key: 'k', versionId: plain.versionId, tags: {} })
  expect(await tagsOf()).toBeUndefined()
  const { versions } = await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 10 })
  expect(versions.map(({ versionId }) => versionId)).toEqual([plain.versionId, tagged.versionId])
  await storage.expectSound()
})

test('a missing version and a delete marker get no tags', async () => {
  await using storage = await openVersionStorage()
  const { versionId } = await storage.put('k', 'one')
  const marker = await storage.objects.delete('photos', 'k')
  const set = (place: { readonly key?: string; readonly versionId: string }) =>
    storage.versions.setTags({ bucket: 'photos', key: 'k', tags: { a: '1' }, ...place })
  for (const place of [{ versionId: 'none' }, { versionId: marker.versionId }, { versionId, key: 'other' }]) {
    await expect(set(place)).rejects.toMatchObject({ code: 'version_not_found', status: 404 })
  }
  await expect(storage.versions.setTags({ bucket: 'absent', key: 'k', versionId, tags: {} })).rejects.toMatchObject({
    code: 'bucket_not_found',
  })
})

test('a restore takes the tags of the older version with it, and is not refused when only the tags differ', async () => {
  await using storage = await openVersionStorage()
  const headers = { contentType: 'text/plain', system: {}, user: {} }
  const first = await storage.put('k', 'same', { headers: { ...headers, tags: { a: '1' } } })
  const second = await storage.put('k', 'same', { headers })
  const restored = await storage.versions.restore({
    bucket: 'photos',
    key: 'k',
    versionId: first.versionId,
    expectedCurrentVersionId: second.versionId,
  })
  expect(restored.headers.tags).toEqual({ a: '1' })
})
