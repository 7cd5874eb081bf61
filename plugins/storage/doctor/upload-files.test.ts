/** What `svc doctor` finds of the parts of open uploads, and repairs. */
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { blobPath } from '../cache/files/cache-paths.ts'
import type { Upload } from '../contract.ts'
import { findingsOf } from '../testing/check-invariants.ts'
import { flipByte } from '../testing/flip-byte.ts'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { storageChecks } from './checks.ts'
import { fixNames } from './fix-names.ts'
import { storageFixes } from './fixes.ts'

let storage: VersionStorage
let staged: StagedUploads
let upload: Upload

beforeEach(async () => {
  storage = await openVersionStorage()
  staged = stageUploads(storage.uploads)
  upload = await staged.create('film')
  await staged.put(upload, 1, 'the first part')
  await staged.put(upload, 2, 'the second')
})

afterEach(() => storage[Symbol.asyncDispose]())

const cacheDir = () => join(storage.dir, 'cache')
const check = async (name: string) => {
  const found = storageChecks.find((one) => one.name === name)
  if (!found) throw new Error(`no check is named ${name}`)
  return findingsOf(found, storage.database.read, { settings: { dir: cacheDir() } })
}
const files = async () => {
  const rows = await allRows<{ id: string; epoch: number }>(
    storage.database.read,
    'select blob_id as id, epoch from cache_blobs where upload_id is not null order by ordinal',
  )
  return rows.map(({ id, epoch }) => ({ id, path: blobPath(cacheDir(), id, epoch) }))
}
const change = (sql: string) => storage.database.write((tx) => runSql(tx, sql))
const fix = async (target: string) => {
  const found = storageFixes.find(({ name }) => name === fixNames.dropPartFile)
  return found?.apply({ database: storage.database, cache: storage.cache } as never, target)
}

test('parts of an open upload and of a completed one have no findings', async () => {
  await staged.object('other', ['some', 'text'])
  for (const name of ['storage.uploads', 'storage.cache-files', 'storage.cache-bytes']) expect(await check(name), name).toEqual([])
})

test.each([
  ['is missing', 'storage.cache-files', (path: string) => rm(path)],
  ['has 3 bytes instead of 14', 'storage.cache-files', (path: string) => truncate(path, 3)],
  ['has other bytes than were uploaded', 'storage.cache-bytes', (path: string) => flipByte(path, 2)],
])('I-01: a part whose file %s is found, and is repaired by its upload', async (message, name, damage) => {
  await damage((await files())[0]?.path ?? '')
  const findings = await check(name)
  expect(findings).toMatchObject([
    {
      severity: 'error',
      subject: { kind: 'cache file', bucket: 'photos', key: 'film' },
      message: expect.stringContaining(message),
      repair: expect.stringContaining('Send the part of the upload again'),
    },
  ])
  // No provider has the bytes: there is no safe fix.
  expect(findings[0]?.fix).toBeUndefined()
  await staged.put(upload, 1, 'the first part')
  expect(await check(name)).toEqual([])
})

test.each([
  ['the row of its file is missing', 'delete from cache_blobs where ordinal = 1'],
  ['its file has another number', 'update cache_blobs set ordinal = 3 where ordinal = 1'],
  ['its file has another length', 'update cache_blobs set length = 3 where ordinal = 1'],
  ['it has no file', 'update cache_blobs set epoch = 0 where ordinal = 1'],
  ['its file has another digest', `update cache_blobs set sha256 = 'other' where ordinal = 1`],
])('I-01: a part is found when %s', async (_what, sql) => {
  await change(sql)
  expect(await check('storage.uploads')).toMatchObject([
    { severity: 'error', invariant: 'I-01', subject: { kind: 'part', id: `${upload.id}/1`, bucket: 'photos', key: 'film' } },
  ])
})

test('I-23: a file that no part has is found and removed with its bytes; files of parts are not', async () => {
  const [first, second] = await files()
  const usedBytes = storage.cache.stats().usedBytes
  await change('delete from upload_parts where part_number = 1')
  expect(await check('storage.uploads')).toMatchObject([
    { severity: 'warning', invariant: 'I-23', subject: { id: first?.id }, fix: { name: fixNames.dropPartFile, target: first?.id } },
  ])
  for (const target of ['', '../x', 'ffff', second?.id ?? '']) expect(await fix(target), target).toBe(false)
  expect(await fix(first?.id ?? '')).toBe(true)
  expect(await fix(first?.id ?? '')).toBe(false)
  expect(storage.cache.stats().usedBytes).toBe(usedBytes - 'the first part'.length)
  await expect(rm(first?.path ?? '')).rejects.toMatchObject({ code: 'ENOENT' })
  await storage.expectSound()
  await staged.complete(upload, [await staged.put(upload, 2, 'the second')])
})
