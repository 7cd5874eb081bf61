import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Database } from '#kernel'
import { kernelErrors } from '#kernel/system'
import { allRows, checkTaskKind, createFakeClock, getRow, LeaseLost, runSql, watchProbes } from '#kernel/testing'
import { type Disk, realDisk } from '../cache/files/disk.ts'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import { beginEviction, releaseEntry } from '../catalog/cached/eviction-store.ts'
import { updateReleasable } from '../catalog/cached/releasable-store.ts'
import type { ObjectStorageOptions } from '../testing/object-storage.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { evictTask } from './evict-task.ts'
import { reconcileCapacityTask } from './reconcile-capacity-task.ts'

const { signal } = new AbortController()
type Run = (run: object) => Promise<{ readonly kind: string }>

/** The fence of a run that lost its lease. */
const lostLeaseFence = ({ read }: Database) => ({
  read,
  write: () => Promise.reject(new LeaseLost({ id: 1, kind: evictTask.kind, seq: 1 })),
})

/** A disk that fails to remove the files whose ids are in `undeletable`. */
function openUndeletableDisk() {
  const undeletable = new Set<string>()
  const disk: Disk = {
    ...realDisk,
    unlink: async (path) => {
      if ([...undeletable].some((id) => path.endsWith(id))) throw Object.assign(new Error('permission denied'), { code: 'EACCES' })
      return realDisk.unlink(path)
    },
  }
  return { disk, undeletable }
}

async function openStorage(options: ObjectStorageOptions = {}) {
  const { disk, undeletable } = openUndeletableDisk()
  const storage = await openVersionStorage({ disk, rules: { policy: 'after_upload' }, ...options })
  const put = async (key: string) => {
    const version = await storage.put(key, `bytes of ${key}`)
    const contentId = version.contentId ?? 0
    for (const _copy of [1, 2]) await storage.keep(version)
    await storage.database.write((tx) => updateReleasable(tx, contentId))
    return contentId
  }
  const contents = [await put('a'), await put('b')] as const
  const evict = (contentId: number) =>
    (evictTask.run as unknown as Run)({
      args: { contentId },
      services: { cache: storage.cache, contents: storage.contents, database: storage.database },
      fence: (database: unknown) => database,
    })
  return { storage, contents, undeletable, evict }
}

test('a file that cannot be removed gets its own task, which fails until the removal works; other files are removed', async () => {
  const { storage, contents, undeletable, evict } = await openStorage()
  await using _ = storage
  const [a] = contents
  undeletable.add((await blobsOfContent(storage.database.read, a))[0]?.blobId ?? '')
  await storage.cache.reconcileCapacity(signal)
  expect(storage.scheduled).toEqual([`finish eviction ${a}`])
  expect(storage.cache.stats().usedBytes).toBe('bytes of a'.length)
  await expect(evict(a)).rejects.toThrow('permission denied')
  await storage.cache.reconcileCapacity(signal)
  expect(storage.scheduled).toEqual([`finish eviction ${a}`])
  undeletable.clear()
  expect(await evict(a)).toEqual({ kind: 'done' })
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('a file that could not be removed is removed by a later pass after its failed task was dismissed', async () => {
  const clock = createFakeClock(1_700_000_000_000)
  const { storage, contents, undeletable } = await openStorage({ clock })
  await using _ = storage
  const [a] = contents
  undeletable.add((await blobsOfContent(storage.database.read, a))[0]?.blobId ?? '')
  for (let pass = 0; pass < 3; pass++) await storage.cache.reconcileCapacity(signal)
  expect(storage.scheduled).toEqual([`finish eviction ${a}`])
  // Still undeletable: the task is enqueued again, so that its failure is listed.
  await clock.advance(3_600_000)
  for (let pass = 0; pass < 3; pass++) await storage.cache.reconcileCapacity(signal)
  expect(storage.scheduled).toEqual([`finish eviction ${a}`, `finish eviction ${a}`])
  undeletable.clear()
  await clock.advance(3_600_000)
  await storage.cache.reconcileCapacity(signal)
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('a deleted object whose file cannot be removed gets a task too, which then deletes the content row', async () => {
  const { storage, undeletable, evict } = await openStorage()
  await using _ = storage
  const { contentId, versionId } = await storage.put('c', 'never stored')
  const id = contentId ?? 0
  undeletable.add((await blobsOfContent(storage.database.read, id))[0]?.blobId ?? '')
  const { cacheRelease } = await storage.versions.deletePermanently({ bucket: 'photos', key: 'c', versionId })
  expect(cacheRelease).toBe('failed')
  expect(storage.scheduled).toEqual([`finish eviction ${id}`])
  undeletable.clear()
  await evict(id)
  expect(await getRow(storage.database.read, 'select id from contents where id = ?', id)).toBeUndefined()
  await storage.expectSound()
})

/** Deletes an object whose file is removed; the writes to the database after that are handled by `write`. */
async function deleteWith(outage: (storage: VersionStorage) => Database['write']) {
  const disk: Disk = {
    ...realDisk,
    unlink: async (path) => {
      await realDisk.unlink(path)
      const write = outage(storage)
      vi.spyOn(storage.database, 'write').mockImplementation(write)
    },
  }
  const { storage, evict } = await openStorage({ disk, rules: { policy: 'none' } })
  const { contentId, versionId } = await storage.put('c', 'never stored')
  const { usedBytes } = storage.cache.stats()
  const { cacheRelease } = await storage.versions.deletePermanently({ bucket: 'photos', key: 'c', versionId })
  vi.restoreAllMocks()
  expect(cacheRelease).toBe('failed')
  const expectReleased = async () => {
    expect(await getRow(storage.database.read, 'select id from contents where id = ?', contentId ?? 0)).toBeUndefined()
    expect(storage.cache.stats().usedBytes).toBe(usedBytes - 'never stored'.length)
    await storage.expectSound()
  }
  return { storage, evict, id: contentId ?? 0, expectReleased }
}

test('a deletion that an outage of the database interrupted, so that it has no task, is finished by the next eviction pass', async () => {
  const { storage, expectReleased } = await deleteWith(() => () => Promise.reject(kernelErrors.database_unreachable()))
  await using _ = storage
  expect(storage.scheduled).toEqual([])
  await storage.cache.reconcileCapacity(signal)
  await expectReleased()
})

test('a deletion whose content row could not be deleted gets a task, which deletes it', async () => {
  const { storage, evict, id, expectReleased } = await deleteWith(({ database }) => {
    const write = database.write.bind(database)
    let writes = 0
    return (job) => (++writes === 2 ? Promise.reject(kernelErrors.database_unreachable()) : write(job))
  })
  await using _ = storage
  expect(storage.scheduled).toEqual([`finish eviction ${id}`])
  await evict(id)
  await expectReleased()
})

test('I-06: a run that lost its lease deletes no content', async () => {
  const { storage, undeletable } = await openStorage()
  await using _ = storage
  const { contentId, versionId } = await storage.put('c', 'never stored')
  const id = contentId ?? 0
  undeletable.add((await blobsOfContent(storage.database.read, id))[0]?.blobId ?? '')
  await storage.versions.deletePermanently({ bucket: 'photos', key: 'c', versionId })
  undeletable.clear()
  const services = { cache: storage.cache, contents: storage.contents, database: storage.database }
  const evicted = (evictTask.run as unknown as Run)({ args: { contentId: id }, services, fence: lostLeaseFence })
  await expect(evicted).rejects.toThrow(LeaseLost)
  expect(await getRow(storage.database.read, 'select id from contents where id = ?', id)).toEqual({ id })
})

test('when no file can be removed, eviction stops after 100 contents and an upload without space is refused', async () => {
  const { storage, undeletable } = await openStorage({ maxBytes: 3000 })
  await using _ = storage
  for (let i = 0; i < 150; i++) await storage.put(`k${i}`, `bytes ${i}`)
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2')
    await runSql(tx, 'update cache_entries set releasable = 1')
  })
  undeletable.add('')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('files_stuck')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('files_stuck')
  expect(storage.scheduled).toHaveLength(100)
  await expect(storage.put('large', Buffer.alloc(2500))).rejects.toMatchObject({ code: 'cache_full' })
})

test('while the whole cache folder is missing, no file counts as removed', async () => {
  const { storage, contents, evict } = await openStorage()
  await using _ = storage
  const [dir, away] = [join(storage.dir, 'cache'), join(storage.dir, 'away')]
  const { usedBytes } = storage.cache.stats()
  await rename(dir, away)
  await storage.cache.reconcileCapacity(signal)
  await expect(evict(contents[0])).rejects.toMatchObject({ code: 'ENOENT' })
  expect(storage.cache.stats().usedBytes).toBe(usedBytes)
  await rename(away, dir)
  for (const contentId of contents) await evict(contentId)
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('an interrupted eviction whose file cannot be removed at the start gets a task; other files are removed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-evict-'))
  const { disk, undeletable } = openUndeletableDisk()
  const first = await openVersionStorage({ dir, disk })
  const [a, b] = [await first.put('a', 'bytes of a'), await first.put('b', 'bytes of b')]
  await first.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2')
    for (const { contentId } of [a, b]) await releaseEntry(tx, contentId ?? 0)
  })
  undeletable.add((await blobsOfContent(first.database.read, a.contentId ?? 0))[0]?.blobId ?? '')
  await first.stop()
  const second = await openVersionStorage({ dir, disk })
  await second.cache.startUpkeep()
  expect(second.scheduled).toEqual([`finish eviction ${a.contentId}`])
  expect(second.cache.stats().usedBytes).toBe('bytes of a'.length)
  await second.stop()
  await rm(dir, { recursive: true })
})

test('the task keeps bytes that were put again meanwhile', async () => {
  const { storage, contents, undeletable, evict } = await openStorage()
  await using _ = storage
  const [a] = contents
  undeletable.add((await blobsOfContent(storage.database.read, a))[0]?.blobId ?? '')
  await storage.cache.reconcileCapacity(signal)
  undeletable.clear()
  await storage.put('again', 'bytes of a')
  await evict(a)
  expect(await storage.text('a')).toBe('bytes of a')
  await storage.expectSound()
})

/** Rows as they are after the data sets of all copies ended. */
const loseCopies = ({ database }: Pick<VersionStorage, 'database'>) =>
  database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 0, readable_copies = 0')
  })

test('I-02: an unfinished eviction is cancelled when the copies are lost meanwhile', async () => {
  const { storage, contents, undeletable, evict } = await openStorage()
  await using _ = storage
  const [a] = contents
  undeletable.add((await blobsOfContent(storage.database.read, a))[0]?.blobId ?? '')
  await storage.cache.reconcileCapacity(signal)
  await loseCopies(storage)
  undeletable.clear()
  expect(await evict(a)).toEqual({ kind: 'done' })
  expect(await storage.text('a')).toBe('bytes of a')
  expect(storage.cache.stats().usedBytes).toBe('bytes of a'.length)
})

test('I-02, I-20: after a restart, an eviction whose copies are lost is cancelled if the file exists; otherwise the content is lost', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-evict-'))
  const { storage: first, contents } = await openStorage({ dir, rules: { policy: 'none' } })
  const [, b] = contents
  await first.database.write(async (tx) => {
    for (const contentId of contents) await beginEviction(tx, contentId)
  })
  for (const blob of await blobsOfContent(first.database.read, b)) await rm(first.cache.pathOf(blob))
  await loseCopies(first)
  await first.stop()
  const second = await openVersionStorage({ dir })
  await second.cache.startUpkeep()
  expect(await second.text('a')).toBe('bytes of a')
  expect(await getRow(second.database.read, 'select store_state as state from contents where id = ?', b)).toEqual({ state: 'lost' })
  await second.expectSound()
  await second.stop()
  await rm(dir, { recursive: true })
})

test('I-20: a content is lost when its eviction is cancelled while the file is being unlinked, and its bytes are released', async () => {
  const { storage, contents, evict } = await openStorage()
  await using _ = storage
  using probes = watchProbes()
  const held = probes.holdAt('storage.evict.claimed')
  const pass = storage.cache.reconcileCapacity(signal)
  await held.reached
  await loseCopies(storage)
  for (const contentId of contents) await evict(contentId)
  held.release()
  await pass
  expect(storage.cache.stats().usedBytes).toBe(0)
  expect(await allRows(storage.database.read, 'select distinct store_state as state from contents')).toEqual([{ state: 'lost' }])
  await storage.expectSound()
})

test('the pass after an interrupted one finishes its evictions', async () => {
  const { storage } = await openStorage()
  await using _ = storage
  await storage.database.write(async (tx) => {
    await runSql(tx, 'create table undeletable (content_id bigint references cache_entries (content_id))')
    await runSql(tx, 'insert into undeletable select content_id from cache_entries')
  })
  await expect(storage.cache.reconcileCapacity(signal)).rejects.toThrow(/foreign key/i)
  await storage.database.write((tx) => runSql(tx, 'drop table undeletable'))
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('I-09: both tasks may be run again from their start', async () => {
  const { storage, contents } = await openStorage()
  await using _ = storage
  const { cache, database } = storage
  const snapshot = async () => [cache.stats(), await allRows(database.read, 'select * from cache_entries')]
  await checkTaskKind({ kind: reconcileCapacityTask, args: {}, services: { cache }, snapshot })
  expect(cache.stats().usedBytes).toBe(0)
  await checkTaskKind({
    kind: evictTask,
    args: { contentId: contents[1] },
    services: { cache, contents: storage.contents, database },
    snapshot,
  })
})

test.each(['nothing_releasable', 'reads_unrecorded', 'files_stuck'] as const)(
  'I-08: when a pass ends with %s, the task waits',
  async (reason) => {
    const cache = { reconcileCapacity: async () => reason }
    const outcome = await (reconcileCapacityTask.run as unknown as Run)({ services: { cache }, signal, nowMs: 1000 })
    expect(outcome).toEqual({ kind: 'wait', reason, untilMs: 61_000, message: expect.any(String) })
  },
)
