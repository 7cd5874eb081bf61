import { afterEach, beforeEach, expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { type StagedUploads, stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const databaseBytesMax = 16
const source = { bucket: 'photos', key: 'source' }

let storage: VersionStorage
let staged: StagedUploads

beforeEach(async () => {
  storage = await openVersionStorage({ databaseBytesMax })
  staged = stageUploads(storage.uploads)
})

afterEach(async () => {
  await storage.expectSound()
  await storage[Symbol.asyncDispose]()
})

test.each([
  ['in the database', 'small'],
  ['in a file', 'longer than the bodies in the database'],
])('I-01: a part copied from an object whose bytes are %s is a file with these bytes', async (_where, text) => {
  const { versionId } = await storage.put('source', text)
  const upload = await staged.create('copy')
  const { part } = await storage.uploads.copyPart({ bucket: 'photos', key: 'copy', uploadId: upload.id, partNumber: 1, source })
  const file = await getRow<{ epoch: number }>(storage.database.read, 'select epoch from cache_blobs where upload_id = ?', upload.id)
  expect(file?.epoch).toBeGreaterThan(0)
  await storage.expectSound()
  await storage.versions.deletePermanently({ ...source, versionId })
  await staged.complete(upload, [part])
  expect(await storage.text('copy')).toBe(text)
})
