import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import { type BlobRef, blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import { beginEviction } from '../catalog/cached/eviction-store.ts'
import { checkInvariants } from '../testing/check-invariants.ts'
import { type ObjectStorage, openObjectStorage, readAll } from '../testing/object-storage.ts'

async function blobOf({ database }: ObjectStorage, contentId: number | null): Promise<BlobRef> {
  const [blob] = await blobsOfContent(database.read, contentId ?? 0)
  if (!blob) throw new Error(`content ${contentId} has no blob`)
  return blob
}

async function expectSound({ database, dir, cache }: ObjectStorage): Promise<void> {
  const { usedBytes } = cache.stats()
  expect(await checkInvariants(database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
}

async function keptFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'svc-cache-'))
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

const markReleasable = (storage: ObjectStorage) =>
  storage.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2')
    await runSql(tx, 'update cache_entries set releasable = 1')
  })

test('objects and the count of used bytes survive a restart', async () => {
  await using kept = await keptFolder()
  const first = await openObjectStorage(kept)
  await first.put('k', 'kept bytes')
  await first.stop()
  await using second = await openObjectStorage(kept)
  expect(await second.text('k')).toBe('kept bytes')
  expect(second.cache.stats().usedBytes).toBe(10)
  await second.put('l', 'more')
  await expectSound(second)
})

test('the sweep removes only orphans of earlier starts', async () => {
  await using kept = await keptFolder()
  const first = await openObjectStorage(kept)
  const { contentId } = await first.put('k', 'kept bytes')
  const live = first.cache.pathOf(await blobOf(first, contentId))
  const orphan = join(live, '..', '0123456789ab00')
  await writeFile(orphan, 'half a bo')
  await first.stop()
  await using second = await openObjectStorage(kept)
  const { contentId: newContent } = await second.put('new', 'of this start')
  const young = join(second.cache.pathOf(await blobOf(second, newContent)), '..', 'being-written')
  await writeFile(young, 'half')
  await second.cache.startUpkeep()
  expect([existsSync(live), existsSync(orphan), existsSync(young)]).toEqual([true, false, true])
  expect(await second.text('k')).toBe('kept bytes')
  await expectSound(second)
})

test('folders of a start that this database does not know are left alone', async () => {
  await using kept = await keptFolder()
  const first = await openObjectStorage(kept)
  const { contentId } = await first.put('k', 'of another database')
  const path = first.cache.pathOf(await blobOf(first, contentId))
  await first.stop()
  for (const name of await readdir(kept.dir)) if (name.startsWith('svc.db')) await rm(join(kept.dir, name))
  await using second = await openObjectStorage(kept)
  await second.cache.startUpkeep()
  expect(existsSync(path)).toBe(true)
})

test('I-20: a content whose file is missing is lost until its bytes are put again', async () => {
  await using storage = await openObjectStorage()
  const { contentId } = await storage.put('k', 'bytes')
  await unlink(storage.cache.pathOf(await blobOf(storage, contentId)))
  await expect(storage.objects.open('photos', 'k')).rejects.toMatchObject({
    code: 'content_unavailable',
    status: 503,
    retryAfterSeconds: 10,
  })
  expect(storage.cache.stats().usedBytes).toBe(5)
  await expectSound(storage)
  expect(await getRow(storage.database.read, 'select store_state from contents')).toEqual({ store_state: 'lost' })
  expect(await getRow(storage.database.read, 'select state from cache_entries')).toEqual({ state: 'damaged' })

  await storage.put('other', 'bytes')
  expect(await storage.text('k')).toBe('bytes')
  await expectSound(storage)
})

test('I-37: a file of the wrong length is kept, and the bytes come from a source', async () => {
  const version = { source: 'provider' as const, async *read() {}, async [Symbol.asyncDispose]() {} }
  const requested: number[] = []
  await using storage = await openObjectStorage({
    openUncached: async (requestedVersion, contentId) => {
      requested.push(contentId)
      return { version: requestedVersion, ...version }
    },
  })
  const { contentId } = await storage.put('k', 'bytes')
  const path = storage.cache.pathOf(await blobOf(storage, contentId))
  await truncate(path, 3)
  await using opened = await storage.objects.open('photos', 'k')
  expect(opened.source).toBe('provider')
  expect(requested).toEqual([contentId])
  expect(existsSync(path)).toBe(true)
})

test('no entry is deleted while the whole cache folder is missing', async () => {
  await using storage = await openObjectStorage()
  await storage.put('k', 'bytes')
  const away = join(storage.dir, 'away')
  await rename(join(storage.dir, 'cache'), away)
  await expect(storage.objects.open('photos', 'k')).rejects.toMatchObject({ code: 'content_unavailable' })
  await rename(away, join(storage.dir, 'cache'))
  expect(await storage.text('k')).toBe('bytes')
  await expectSound(storage)
})

test('a put of the same bytes replaces a damaged file', async () => {
  await using storage = await openObjectStorage()
  const { contentId } = await storage.put('k', 'bytes')
  const damaged = storage.cache.pathOf(await blobOf(storage, contentId))
  await truncate(damaged, 2)
  await storage.put('again', 'bytes')
  expect(await storage.text('k')).toBe('bytes')
  expect(existsSync(damaged)).toBe(false)
  await expectSound(storage)
})

test('I-02: only an entry that is releasable in the evicting transaction is evicted', async () => {
  await using storage = await openObjectStorage()
  const { contentId } = await storage.put('k', 'bytes')
  const path = storage.cache.pathOf(await blobOf(storage, contentId))
  expect(await storage.cache.evict(contentId ?? 0)).toBe(0)
  expect(await storage.text('k')).toBe('bytes')
  await markReleasable(storage)
  expect(await storage.cache.evict(contentId ?? 0, () => false)).toBe(0)
  expect(await storage.cache.evict(contentId ?? 0)).toBe(5)
  expect(existsSync(path)).toBe(false)
  expect(storage.cache.stats().usedBytes).toBe(0)
  await expectSound(storage)
})

test('a read completes when the bytes are evicted during the read', async () => {
  await using storage = await openObjectStorage()
  const bytes = Buffer.alloc(2 * 1024 * 1024, 'read on ')
  const { contentId } = await storage.put('k', bytes)
  const opened = await storage.objects.open('photos', 'k')
  await markReleasable(storage)
  expect(await storage.cache.evict(contentId ?? 0)).toBe(bytes.length)
  expect(Buffer.compare(await readAll(opened), bytes)).toBe(0)
})

test('a put of the same bytes during their eviction keeps them', async () => {
  await using storage = await openObjectStorage()
  const { contentId } = await storage.put('k', 'bytes')
  await markReleasable(storage)
  const content = contentId ?? 0
  const evicted = storage.cache.evict(content)
  const put = storage.put('again', 'bytes')
  await Promise.all([evicted, put])
  expect(await storage.text('k')).toBe('bytes')
  await expectSound(storage)
})

test('I-03: an eviction interrupted by a crash is finished after the next start', async () => {
  await using kept = await keptFolder()
  const first = await openObjectStorage(kept)
  const { contentId } = await first.put('k', 'bytes')
  await first.put('l', 'other')
  await markReleasable(first)
  await first.database.write((tx) => beginEviction(tx, contentId ?? 0))
  await first.stop()
  await using second = await openObjectStorage(kept)
  await second.cache.startUpkeep()
  expect(second.cache.stats().usedBytes).toBe(5)
  await expect(second.objects.open('photos', 'k')).rejects.toMatchObject({ code: 'content_unavailable' })
  await expectSound(second)
})

test('access times are written in batches, and only when the stored time is a minute old', async () => {
  let nowMs = 1_000_000
  let wake: (() => void) | undefined
  const clock = {
    now: () => nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        wake = resolve
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
  }
  await using kept = await keptFolder()
  const storage = await openObjectStorage({ ...kept, clock })
  await storage.put('k', 'bytes')
  const stored = async () =>
    (await getRow<{ accessed_at: number }>(storage.database.read, 'select accessed_at from cache_entries'))?.accessed_at
  nowMs += 59_000
  await storage.text('k')
  wake?.()
  nowMs += 1_000
  await storage.text('k')
  expect(await stored()).toBe(1_000_000)
  wake?.()
  await expect.poll(stored).toBe(nowMs)

  nowMs += 100_000
  await storage.text('k')
  await storage.stop()
  await using second = await openObjectStorage({ ...kept, clock })
  expect(await getRow(second.database.read, 'select accessed_at from cache_entries')).toEqual({ accessed_at: nowMs })
})
