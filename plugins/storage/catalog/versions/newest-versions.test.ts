import { expect, test } from 'vitest'
import type { Database, Reader } from '#kernel'
import { runSql, runsOnSqlite } from '#kernel/testing'
import { openObjectStorage, plainHeaders } from '../../testing/object-storage.ts'
import { keptLimits, NewestVersions } from './newest-versions.ts'

/** The database with a count of its single-row reads. `during`: runs after a read has its row. */
function counting(database: Database, during: () => Promise<unknown> = async () => {}) {
  const counted = { reads: 0 }
  const get = async (...call: Parameters<Reader['get']>) => {
    counted.reads += 1
    const row = await database.read.get(...call)
    await during()
    return row
  }
  const read = { get, all: database.read.all.bind(database.read) } as Reader
  return { counted, watched: { read, ...(database.commits && { commits: database.commits }) } }
}

test.runIf(runsOnSqlite())('a version is read once between two commits, also with its files, and again after each commit', async () => {
  await using storage = await openObjectStorage()
  const { versionId, bucketId } = await storage.put('a', 'one')
  const { counted, watched } = counting(storage.database)
  const newest = new NewestVersions(watched)

  for (let n = 0; n < 3; n++) expect(await newest.locate(bucketId, 'a')).toMatchObject({ version: { versionId }, blobs: [{ length: 3 }] })
  expect((await newest.find(bucketId, 'a'))?.versionId).toBe(versionId)
  expect(counted.reads).toBe(1)

  const second = await storage.put('a', 'two!')
  expect((await newest.find(bucketId, 'a'))?.versionId).toBe(second.versionId)
  // A commit of anything: also of rows that storage did not write.
  await storage.database.write((tx) => runSql(tx, `update object_versions set etag = 'changed' where version_id = ?`, second.versionId))
  expect((await newest.find(bucketId, 'a'))?.etag).toBe('changed')
  expect((await newest.locate(bucketId, 'a'))?.version.etag).toBe('changed')
})

test('a deleted object is not found, and keys and buckets do not mix', async () => {
  await using storage = await openObjectStorage()
  const { bucketId } = await storage.put('a', 'one')
  const newest = new NewestVersions(storage.database)
  expect(await newest.find(bucketId, 'a')).toBeDefined()
  expect(await newest.find(bucketId, 'b')).toBeUndefined()
  expect(await newest.find(bucketId + 1, 'a')).toBeUndefined()
  await storage.objects.delete('photos', 'a')
  expect((await newest.find(bucketId, 'a'))?.isDeleteMarker).toBe(true)
})

test('a version that was replaced while it was read is not kept', async () => {
  await using storage = await openObjectStorage()
  const { bucketId } = await storage.put('a', 'one')
  const replacements = [() => storage.put('a', 'two!')]
  const { watched } = counting(storage.database, async () => replacements.pop()?.())
  const newest = new NewestVersions(watched)
  expect((await newest.find(bucketId, 'a'))?.size).toBe(3)
  expect((await newest.find(bucketId, 'a'))?.size).toBe(4)
})

test('nothing is kept where other processes may write', async () => {
  await using storage = await openObjectStorage()
  const { bucketId } = await storage.put('a', 'one')
  const { counted, watched } = counting(storage.database)
  const newest = new NewestVersions({ read: watched.read })
  await newest.find(bucketId, 'a')
  await newest.locate(bucketId, 'a')
  await newest.find(bucketId, 'a')
  expect(counted.reads).toBe(3)
})

test.runIf(runsOnSqlite())('a version with long headers or many files is read each time', async () => {
  await using storage = await openObjectStorage()
  const put = (key: string, length: number) =>
    storage.put(key, 'one', { headers: { ...plainHeaders, system: { 'cache-control': 'v'.repeat(length) } } })
  const { bucketId } = await put('long', keptLimits.textLengthMax)
  await put('short', keptLimits.textLengthMax / 2)
  const { contentId } = await storage.put('split', 'x'.repeat(keptLimits.blobsMax + 1))
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update cache_blobs set length = 1 where content_id = ?', contentId)
    for (let ordinal = 1; ordinal <= keptLimits.blobsMax; ordinal++) {
      const add = `insert into cache_blobs (content_id, ordinal, blob_id, epoch, length) values (?, ?, ?, 0, 1)`
      await runSql(tx, add, contentId, ordinal, `${ordinal}`.repeat(26))
    }
  })
  const { counted, watched } = counting(storage.database)
  const newest = new NewestVersions(watched)
  const readsOf = async (key: string) => {
    counted.reads = 0
    for (let n = 0; n < 3; n++) expect(await newest.locate(bucketId, key)).toBeDefined()
    return counted.reads
  }
  expect({ long: await readsOf('long'), short: await readsOf('short'), split: await readsOf('split') }).toEqual({
    long: 3,
    short: 1,
    split: 3,
  })
})
