import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { database, type Plugin } from '#kernel'
import { loadContributions, type RunningKernel } from '#kernel/host'
import { ownedDirectories } from '#kernel/system'
import { getRow, testKernel } from '#kernel/testing'
import { quarantineFolder } from './cache/damage/quarantine.ts'
import { blobsFolder } from './cache/files/cache-paths.ts'
import { buckets, objects, versions } from './contract.ts'
import { storagePlugin } from './plugin.ts'
import { cache } from './services.ts'
import { chunksOf, plainHeaders, readAll } from './testing/object-storage.ts'
import { createVaultPlugin } from './testing/vault-plugin.ts'

const { signal } = new AbortController()
const config = { 'cache.eviction_policy': 'after_upload' }

async function put(kernel: RunningKernel, key: string, text: string) {
  const body = Buffer.from(text.padEnd(200, '.'))
  return kernel.get(objects).put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers: plainHeaders })
}

async function text(kernel: RunningKernel, key: string, versionId?: string) {
  const opened = await kernel.get(objects).open('photos', key, versionId)
  const { source } = opened
  return [
    source,
    Buffer.from(await readAll(opened))
      .toString()
      .replace(/\.+$/, ''),
  ]
}

const evict = (kernel: RunningKernel) => kernel.get(cache).reconcileCapacity(signal)
const usedBytes = (kernel: RunningKernel) => kernel.get(cache).stats().usedBytes
const countRows = async (kernel: RunningKernel, table: string) =>
  (await getRow<{ n: number }>(kernel.get(database).read, `select count(*) as n from ${table}`))?.n

test('svc doctor is told the folders in which cached files are created', async () => {
  const [directory] = await loadContributions(ownedDirectories, [storagePlugin])
  expect(directory?.item).toMatchObject({ label: 'cache directory', folders: [blobsFolder, quarantineFolder] })
})

test('without a chain and without replication objects are put, read, listed, versioned, restored and deleted', async () => {
  await using svc = await testKernel({ plugins: [storagePlugin], config })
  const { kernel } = svc
  const bucket = await kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  expect(bucket).toMatchObject({ defaultCopies: 1, minimumDurableCopies: 1 })
  const first = await put(kernel, 'a/cat', 'meow')
  const second = await put(kernel, 'a/cat', 'purr')
  await put(kernel, 'b', 'other')
  expect(await text(kernel, 'a/cat')).toEqual(['cache', 'purr'])
  expect(await text(kernel, 'a/cat', first.versionId)).toEqual(['cache', 'meow'])
  const page = await kernel.get(objects).list({ bucket: 'photos', delimiter: '/', limit: 10 })
  expect([page.commonPrefixes, page.entries.map(({ key }) => key)]).toEqual([['a/'], ['b']])
  const restored = await kernel.get(versions).restore({
    bucket: 'photos',
    key: 'a/cat',
    versionId: first.versionId,
    expectedCurrentVersionId: second.versionId,
  })
  expect(await text(kernel, 'a/cat')).toEqual(['cache', 'meow'])
  const marker = await kernel.get(objects).delete('photos', 'a/cat')
  await expect(text(kernel, 'a/cat')).rejects.toMatchObject({ code: 'object_not_found' })
  await kernel.get(versions).restoreDeleted({ bucket: 'photos', key: 'a/cat', versionId: marker.versionId })
  expect((await kernel.get(objects).find('photos', 'a/cat'))?.versionId).toBe(restored.versionId)
  const again = await kernel.get(objects).delete('photos', 'a/cat')
  const gone = await kernel.get(versions).deleteObjectPermanently({ bucket: 'photos', key: 'a/cat', versionId: again.versionId })
  expect(gone).toEqual({ dataVersions: 3, deleteMarkers: 1, failedCacheReleases: 0, cleanupTaskIds: [] })
  expect([await countRows(kernel, 'contents'), usedBytes(kernel)]).toEqual([1, 200])
  // Nothing keeps a copy, so nothing is evicted.
  expect(await evict(kernel)).toBe('enough')
  expect(await text(kernel, 'b')).toEqual(['cache', 'other'])
})

test('two plugins keep copies: their copies add up, cached bytes are evicted, and reads come from the first that has the bytes', async () => {
  const [east, west] = [createVaultPlugin('east', 2), createVaultPlugin('west', 1)]
  await using svc = await testKernel({ plugins: [storagePlugin, east.plugin, west.plugin], config })
  const { kernel } = svc
  expect(await kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })).toMatchObject({ defaultCopies: 2 })
  const version = await put(kernel, 'cat', 'meow')
  const contentId = version.contentId ?? 0
  expect(kernel.get(west.vault).wanted).toEqual([contentId])
  await east.store(kernel, contentId)
  await evict(kernel)
  expect(usedBytes(kernel)).toBe(200)
  await west.store(kernel, contentId)
  expect(await getRow(kernel.get(database).read, 'select store_state as state, durable_copies as copies from contents')).toEqual({
    state: 'stored',
    copies: 2,
  })
  await evict(kernel)
  expect([usedBytes(kernel), await countRows(kernel, 'cache_entries')]).toEqual([0, 0])
  expect(await text(kernel, 'cat')).toEqual(['provider', 'meow'])
  kernel.get(east.vault).copies.clear()
  expect(await text(kernel, 'cat')).toEqual(['provider', 'meow'])
  await kernel.get(versions).delete({ bucket: 'photos', key: 'cat', versionId: version.versionId })
  expect([kernel.get(west.vault).removed, await countRows(kernel, 'contents')]).toEqual([[contentId], 0])
})

test('a plugin guards cached bytes with enough copies, and keeps a version from being deleted while it is busy', async () => {
  const vault = createVaultPlugin('vault', 1)
  await using svc = await testKernel({ plugins: [storagePlugin, vault.plugin], config })
  const { kernel } = svc
  await kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const version = await put(kernel, 'cat', 'meow')
  kernel.get(vault.vault).isLocked = true
  await vault.store(kernel, version.contentId ?? 0)
  await evict(kernel)
  expect(await text(kernel, 'cat')).toEqual(['cache', 'meow'])
  const place = { bucket: 'photos', key: 'cat', versionId: version.versionId }
  await expect(kernel.get(versions).deletePermanently(place)).rejects.toMatchObject({ code: 'object_storage_busy', status: 409 })
  kernel.get(vault.vault).isLocked = false
  await evict(kernel)
  expect(await text(kernel, 'cat')).toEqual(['provider', 'meow'])
  expect(await kernel.get(versions).deletePermanently(place)).toEqual({
    cacheRelease: 'released',
    cleanupTaskIds: [version.contentId],
  })
})

test('bytes that no plugin has are unavailable', async () => {
  const vault = createVaultPlugin('vault', 1)
  await using svc = await testKernel({ plugins: [storagePlugin, vault.plugin], config })
  const { kernel } = svc
  await kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const { contentId } = await put(kernel, 'cat', 'meow')
  await vault.store(kernel, contentId ?? 0)
  await evict(kernel)
  kernel.get(vault.vault).copies.clear()
  await expect(text(kernel, 'cat')).rejects.toMatchObject({ code: 'content_unavailable', status: 503 })
})

test('a plugin that was disabled for a start is told at the next one what it missed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-missed-'))
  const start = (plugins: readonly Plugin[]) => testKernel({ plugins: [storagePlugin, ...plugins], config, dir })
  const vault = createVaultPlugin('vault', 1)
  const first = await start([vault.plugin])
  await first.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const cat = await put(first.kernel, 'cat', 'meow')
  await vault.store(first.kernel, cat.contentId ?? 0)
  await first[Symbol.asyncDispose]()
  const without = await start([])
  await evict(without.kernel)
  expect(await text(without.kernel, 'cat')).toEqual(['cache', 'meow'])
  await without.kernel.get(versions).delete({ bucket: 'photos', key: 'cat', versionId: cat.versionId })
  const dog = await put(without.kernel, 'dog', 'woof')
  expect(await countRows(without.kernel, 'contents')).toBe(2)
  await without[Symbol.asyncDispose]()
  const back = await start([vault.plugin])
  expect(back.kernel.get(vault.vault).wanted).toEqual([dog.contentId])
  expect(await countRows(back.kernel, 'contents')).toBe(1)
  await back[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})
