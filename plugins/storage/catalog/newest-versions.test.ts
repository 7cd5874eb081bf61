import { expect, test } from 'vitest'
import type { Database, Reader } from '#kernel'
import { runSql } from '#kernel/testing'
import { openObjectStorage } from '../testing/object-storage.ts'
import { NewestVersions } from './newest-versions.ts'

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

test('a version is read once between two commits, also with its files, and again after each commit', async () => {
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
