import { expect, test } from 'vitest'
import { allRows, getRow, insertRow, runSql } from '#kernel/testing'
import type { ObjectVersion } from '#plugins/storage'
import { taskKeys } from '../task-keys.ts'
import { openPieceStorage, type PieceStorage } from '../testing/piece-storage.ts'

const at = (version: ObjectVersion) => ({ bucket: 'photos', key: version.key, versionId: version.versionId })
const count = async (storage: PieceStorage, table: string) =>
  (await getRow<{ n: number }>(storage.database.read, `select count(*) as n from ${table}`))?.n

test('deleting the last version of an object deletes the rows of its pieces', async () => {
  await using storage = await openPieceStorage()
  const only = await storage.put('k', 'bytes')
  expect(await count(storage, 'pieces')).toBe(1)
  await storage.versions.delete(at(only))
  expect([await count(storage, 'contents'), await count(storage, 'pieces')]).toEqual([0, 0])
  await storage.expectSound()
})

test('the store task of a deleted content does not wait for the provider that stores the bytes', async () => {
  await using storage = await openPieceStorage()
  const version = await storage.put('k', 'bytes')
  await storage.placeCopy(version, { dataSetId: 1, state: 'transferring' })
  await storage.versions.delete(at(version))
  expect(storage.endedWaits).toEqual([taskKeys.store(version.contentId ?? 0)])
})

test('I-18: each committed copy gets one removal, and copies not on chain are removed at once', async () => {
  await using storage = await openPieceStorage()
  const version = await storage.put('k', 'bytes')
  await storage.placeCopy(version, { dataSetId: 1, state: 'committed', pieceId: 7 })
  await storage.placeCopy(version, { dataSetId: 2, state: 'committed', pieceId: 7 })
  await storage.placeCopy(version, { dataSetId: 3, state: 'planned' })
  await storage.expectSound()
  expect(await storage.versions.deletePermanently(at(version))).toEqual({ cacheRelease: 'released', cleanupTaskIds: [100, 200] })
  expect(storage.cleanups).toEqual([1, 2])
  expect(await allRows(storage.database.read, 'select data_set_id, chain_piece_id, state from removals order by data_set_id')).toEqual([
    { data_set_id: 1, chain_piece_id: '7', state: 'pending' },
    { data_set_id: 2, chain_piece_id: '7', state: 'pending' },
  ])
  expect(await getRow(storage.database.read, 'select state from copies where data_set_id = 3')).toEqual({ state: 'removed' })
  expect(await count(storage, 'contents')).toBe(1)
  await storage.expectSound()
})

test('permanent_delete_blocked_while_undecided: an unconfirmed copy blocks only this, not a delete by the S3 API; it is removed from the chain if it lands later', async () => {
  await using storage = await openPieceStorage()
  const version = await storage.put('k', 'bytes')
  const copyId = await storage.placeCopy(version, { dataSetId: 1, state: 'unconfirmed', pieceId: 9 })
  await storage.database.write(async (tx) => {
    const batchId = await insertRow(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (1, 'store', 'uncertain', '5', '0x', 0, 0)`,
    )
    await runSql(tx, 'update copies set batch_id = ? where id = ?', batchId, copyId)
  })
  await expect(storage.versions.deletePermanently(at(version))).rejects.toMatchObject({ code: 'object_storage_busy', status: 409 })
  await storage.versions.delete(at(version))
  expect(await storage.objects.find('photos', 'k')).toBeUndefined()
  expect(await count(storage, 'removals')).toBe(0)
  await storage.expectSound()
  await storage.database.write(async (tx) => {
    await runSql(tx, `update copies set state = 'committed' where id = ?`, copyId)
    await storage.states.copies.recount(tx, [version.contentId ?? 0])
  })
  expect(storage.cleanups).toEqual([1])
  await storage.expectSound()
})

test.each([
  ['storing', 'planned', (id: number) => `storage_store:${id}`],
  ['being pulled', 'transferring', () => 'storage_pull:1'],
  ['waiting for a batch', 'parked', () => 'storage_commit:1'],
  ['in a batch', 'batched', () => 'storage_commit:1'],
] as const)('a version whose copy is %s is busy only while its task is open', async (_what, state, key) => {
  await using storage = await openPieceStorage()
  const version = await storage.put('k', 'bytes')
  await storage.placeCopy(version, { dataSetId: 1, state })
  storage.openTasks.add(key(version.contentId ?? 0))
  await expect(storage.versions.deletePermanently(at(version))).rejects.toMatchObject({ code: 'object_storage_busy' })
  expect(await storage.text('k')).toBe('bytes')
  // A version can be deleted while another version of the same bytes needs the copies.
  const other = await storage.put('other', 'bytes')
  await storage.versions.deletePermanently(at(other))
  storage.openTasks.clear()
  if (state === 'batched') await storage.database.write((tx) => runSql(tx, `update copies set state = 'parked'`))
  await storage.versions.deletePermanently(at(version))
  await storage.expectSound()
})

test('permanent deletion of a deleted object removes all its versions and markers', async () => {
  await using storage = await openPieceStorage()
  const first = await storage.put('k', 'one')
  await storage.put('k', 'one')
  await storage.objects.delete('photos', 'k')
  await storage.put('k', 'three')
  await storage.put('elsewhere', 'three')
  const old = await storage.objects.delete('photos', 'k')
  const marker = await storage.objects.delete('photos', 'k')
  await storage.placeCopy(first, { dataSetId: 1, state: 'committed', pieceId: 3 })
  const { versions } = storage
  await expect(versions.deleteObjectPermanently(at(old))).rejects.toMatchObject({ code: 'object_version_not_deletable', status: 409 })
  await expect(versions.deleteObjectPermanently(at(first))).rejects.toMatchObject({ code: 'object_version_not_deletable' })
  await expect(versions.deleteObjectPermanently({ ...at(marker), versionId: 'none' })).rejects.toMatchObject({ code: 'version_not_found' })
  await expect(versions.deleteObjectPermanently({ ...at(marker), key: 'no' })).rejects.toMatchObject({
    code: 'object_not_found',
    status: 404,
  })
  storage.openTasks.add(`storage_store:${first.contentId}`)
  await expect(versions.deleteObjectPermanently(at(marker))).rejects.toMatchObject({ code: 'object_storage_busy' })
  storage.openTasks.clear()
  expect(await versions.deleteObjectPermanently(at(marker))).toEqual({
    dataVersions: 3,
    deleteMarkers: 3,
    failedCacheReleases: 0,
    cleanupTaskIds: [100],
  })
  expect(await versions.ofKey({ bucket: 'photos', key: 'k', limit: 5 })).toEqual({ versions: [], isTruncated: false })
  expect(await storage.text('elsewhere')).toBe('three')
  await storage.expectSound()
})
