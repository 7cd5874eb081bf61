import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kernelErrors } from '#kernel/system'
import { allRows, getRow, runSql } from '#kernel/testing'
import { type Disk, realDisk } from '../cache/files/disk.ts'
import { checkInvariants } from '../testing/check-invariants.ts'
import { directDisk } from '../testing/direct-disk.ts'
import { chunksOf, type ObjectStorage, openObjectStorage, plainHeaders, readAll } from '../testing/object-storage.ts'

async function filesOf({ dir }: ObjectStorage): Promise<string[]> {
  const entries = await readdir(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function expectUntouched(storage: ObjectStorage): Promise<void> {
  expect(await filesOf(storage)).toEqual([])
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  expect(await storage.objects.find('photos', 'k')).toBeUndefined()
  expect(await allRows(storage.database.read, 'select * from contents')).toEqual([])
}

/** A real disk on which the next calls of one method fail, after `failNext`. */
function diskFailing(call: keyof Disk, code: string, disk: Disk = realDisk) {
  let remaining = 0
  const calls: string[] = []
  const faulty = Object.fromEntries(
    Object.entries(disk).map(([name, work]) => [
      name,
      (...args: readonly unknown[]) => {
        calls.push(name)
        if (name === call && remaining > 0) {
          remaining -= 1
          return Promise.reject(Object.assign(new Error(`${code}: injected`), { code }))
        }
        return (work as (...all: readonly unknown[]) => unknown)(...args)
      },
    ]),
  ) as unknown as Disk
  return {
    disk: faulty,
    calls,
    failNext: (times = 1) => {
      remaining = times
      calls.length = 0
    },
  }
}

interface FailingPut {
  readonly call: keyof Disk
  readonly fault: string
  readonly refusal: object
  readonly body: Buffer
  readonly disk?: Disk
}

async function expectFailedPut({ call, fault, refusal, body, disk: real }: FailingPut): Promise<void> {
  const { disk, calls, failNext } = diskFailing(call, fault, real)
  await using storage = await openObjectStorage({ disk })
  failNext()
  await expect(storage.put('k', body)).rejects.toMatchObject(refusal)
  await expectUntouched(storage)
  // A second fsync of a file can succeed even though its bytes are lost.
  if (call === 'syncFile') expect(calls.filter((name) => name === 'syncFile')).toHaveLength(1)

  await storage.put('small', 'the next one works')
  expect(await storage.text('small')).toBe('the next one works')
  await storage.put('k', body)
  expect(Buffer.from(await readAll(await storage.objects.open('photos', 'k'))).equals(body)).toBe(true)
}

test.each([
  ['write', 'EIO', 'cache_write_failed', 500],
  ['write', 'ENOSPC', 'cache_full', 507],
  ['syncFile', 'EIO', 'cache_write_failed', 500],
  ['syncFile', 'ENOSPC', 'cache_full', 507],
  ['syncFolder', 'EIO', 'cache_write_failed', 500],
  ['create', 'EACCES', 'cache_write_failed', 500],
  ['makeFolder', 'EROFS', 'cache_write_failed', 500],
] as const)('I-01: when %s fails with %s the put fails with %s %i and leaves no row and no file', (call, fault, code, status) =>
  expectFailedPut({ call, fault, refusal: { code, status }, body: randomBytes(200_000) }),
)

test.each([
  ['createDirect', 'EACCES', 'cache_write_failed', 500],
  ['createDirect', 'ENOSPC', 'cache_full', 507],
  ['openToWrite', 'EMFILE', 'cache_write_failed', 500],
  ['write', 'EIO', 'cache_write_failed', 500],
  ['write', 'ENOSPC', 'cache_full', 507],
  ['syncFile', 'EIO', 'cache_write_failed', 500],
] as const)('I-01: when %s of a large body fails with %s the put fails with %s %i and leaves nothing', (call, fault, code, status) =>
  expectFailedPut({ call, fault, refusal: { code, status }, body: randomBytes(1024 * 1024 + 5), disk: directDisk }),
)

test('when the fsync of a folder fails, all puts waiting for it fail, and later ones use a new descriptor', async () => {
  const { disk, failNext } = diskFailing('syncFolder', 'EIO')
  await using storage = await openObjectStorage({ disk })
  await storage.put('before', 'kept')
  failNext()
  const results = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => storage.put(`k${n}`, `body ${n}`)))
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  await storage.put('after', 'works')
  expect(await checkInvariants(storage.database.read, { cacheDir: join(storage.dir, 'cache'), ...storage.cache.stats() })).toEqual([])
  const written = 2 + results.filter(({ status }) => status === 'fulfilled').length
  expect(await filesOf(storage)).toHaveLength(written)
})

test('an interrupted body leaves no rows or files', async () => {
  await using storage = await openObjectStorage()
  const disconnected = new Error('client disconnected')
  async function* broken(): AsyncGenerator<Uint8Array, void, void> {
    yield randomBytes(300_000)
    throw disconnected
  }
  await expect(storage.put('k', randomBytes(400_000), { body: broken() })).rejects.toBe(disconnected)
  await expectUntouched(storage)
})

test('an abort stops the put before the next chunk', async () => {
  await using storage = await openObjectStorage()
  const abort = new AbortController()
  let isClosed = false
  async function* endless(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        yield randomBytes(1000)
        abort.abort(new Error('stopped'))
      }
    } finally {
      isClosed = true
    }
  }
  const put = storage.objects.put({ bucket: 'photos', key: 'k', body: endless(), headers: plainHeaders, signal: abort.signal })
  await expect(put).rejects.toThrow('stopped')
  expect(isClosed).toBe(true)
  await expectUntouched(storage)
})

test('I-23: concurrent puts never exceed the capacity, and one that fits exactly succeeds', async () => {
  const maxBytes = 1_000_000
  await using storage = await openObjectStorage({ maxBytes })
  let highest = 0
  async function* watched(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunksOf(bytes, 10_000)) {
      const { usedBytes, reservedBytes } = storage.cache.stats()
      highest = Math.max(highest, usedBytes + reservedBytes)
      yield chunk
    }
  }
  const puts = Array.from({ length: 20 }, (_, n) => {
    const bytes = randomBytes(90_000)
    // Every second put has no declared length.
    const unsized = { bucket: 'photos', key: `k${n}`, body: watched(bytes), headers: plainHeaders }
    return storage.objects.put(n % 2 === 0 ? { ...unsized, size: bytes.length } : unsized)
  })
  const results = await Promise.allSettled(puts)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'cache_full', status: 507 })
  expect(highest).toBeLessThanOrEqual(maxBytes)
  const { usedBytes, reservedBytes } = storage.cache.stats()
  expect(reservedBytes).toBe(0)
  expect(usedBytes).toBe(90_000 * results.filter(({ status }) => status === 'fulfilled').length)

  await storage.put('rest', randomBytes(maxBytes - usedBytes))
  expect(storage.cache.stats().usedBytes).toBe(maxBytes)
  await expect(storage.put('one-more', 'x')).rejects.toMatchObject({ code: 'cache_full' })
})

test.each([
  ['in a file', 0],
  ['in the database', 16_384],
])('I-23: the room of a body %s stays reserved until its commit', async (_where, databaseBytesMax) => {
  const seen: number[] = []
  await using storage: ObjectStorage = await openObjectStorage({
    databaseBytesMax,
    onNewContent: async () => void seen.push(storage.cache.stats().reservedBytes),
  })
  await storage.put('k', randomBytes(5000))
  expect(seen).toEqual([5000])
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 5000, reservedBytes: 0 })
})

test('a full cache answers cache_busy while an entry is releasable, otherwise cache_full', async () => {
  await using storage = await openObjectStorage({ maxBytes: 1000 })
  const { contentId } = await storage.put('k', randomBytes(900))
  await expect(storage.put('next', randomBytes(200))).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  await storage.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1 where content_id = ?', contentId))
  await expect(storage.put('next', randomBytes(200))).rejects.toMatchObject({ code: 'cache_busy', status: 503, retryAfterSeconds: 5 })
  await expect(storage.put('never', randomBytes(1001))).rejects.toMatchObject({ code: 'cache_full' })
})

test('I-18: a put of bytes whose content is being deleted creates a new content', async () => {
  await using storage = await openObjectStorage()
  const first = await storage.put('k', 'same')
  await storage.database.write(async (tx) => {
    await runSql(tx, 'delete from object_versions where version_id = ?', first.versionId)
    await runSql(tx, 'delete from object_heads')
    await runSql(tx, `update contents set state = 'deleting', ref_count = 0 where id = ?`, first.contentId)
    await runSql(tx, 'update bucket_stats set live_objects = 0, live_bytes = 0, versions = 0, version_bytes = 0')
  })
  const second = await storage.put('k', 'same')
  expect(second.contentId).not.toBe(first.contentId)
  expect(await checkInvariants(storage.database.read, { cacheDir: join(storage.dir, 'cache'), ...storage.cache.stats() })).toEqual([])
})

test('the hook gets the reason: new content, missing copies, raised target, recovered bytes, all copies stored', async () => {
  const calls: string[] = []
  await using storage = await openObjectStorage({
    onNewContent: async (_tx, { reason, targetCopies }) => void calls.push(`${reason} ${targetCopies}`),
  })
  const { contentId } = await storage.put('a', 'same')
  await storage.put('b', 'same')
  await storage.database.write((tx) => runSql(tx, 'update contents set target_copies = 1'))
  await storage.put('c', 'same')
  await storage.database.write((tx) => runSql(tx, `update contents set store_state = 'lost'`))
  await storage.put('d', 'same')
  expect(calls).toEqual(['new 2', 'unstored 2', 'raised 2', 'recovered 2'])
  expect(await getRow(storage.database.read, 'select ref_count, store_state from contents where id = ?', contentId)).toEqual({
    ref_count: 4,
    store_state: 'unstored',
  })
  await storage.database.write((tx) => runSql(tx, `update contents set store_state = 'stored'`))
  await storage.put('e', 'same')
  expect(calls.at(-1)).toBe('stored 2')
})

test('an error in the hook fails the put', async () => {
  await using storage = await openObjectStorage({
    onNewContent: async () => {
      throw new Error('no space for a task')
    },
  })
  await expect(storage.put('k', 'bytes')).rejects.toThrow('no space for a task')
  await expectUntouched(storage)
})

test.each([
  ['database_full', 0],
  ['database_unwritable', 1],
] as const)(
  'a commit that fails with %s leaves %i files: the file is removed only if the rows are certainly not durable',
  async (code, files) => {
    await using storage = await openObjectStorage()
    Object.assign(storage.database, { write: () => Promise.reject(kernelErrors[code]()) })
    await expect(storage.put('k', 'bytes')).rejects.toMatchObject({ code, status: 507 })
    expect(await filesOf(storage)).toHaveLength(files)
  },
)

test('a put into a bucket deleted meanwhile is refused', async () => {
  await using storage = await openObjectStorage()
  await storage.database.write((tx) => runSql(tx, 'delete from bucket_stats'))
  await expect(storage.put('k', 'bytes')).rejects.toMatchObject({ code: 'bucket_not_found' })
  await expectUntouched(storage)
})
