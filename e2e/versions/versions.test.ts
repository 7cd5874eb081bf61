import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDatabase } from '../crash/check-database.ts'
import { loseCachedFiles } from '../fixtures/cached-files.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/stage.ts'
import { until } from '../fixtures/until.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ providers: 2, copies: 2 })
})

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
})

const path = `/api/v1/buckets/${stageBucket}`
const read = async (rest: string) => (await stage.gateway.call('GET', `${path}${rest}`)).json
const write = (rest: string, body: object) => stage.gateway.call('POST', `${path}/objects/${rest}`, { json: body })
const bytes = (text: string) => Buffer.from(text.padEnd(200, '.'))

async function overwrite({ key }: StoredObject, text: string): Promise<StoredObject> {
  const { VersionId = '' } = await stage.s3.send(new PutObjectCommand({ Bucket: stageBucket, Key: key, Body: bytes(text) }))
  return { key, versionId: VersionId, bytes: bytes(text) }
}

const mark = async ({ key }: StoredObject) =>
  (await stage.s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key }))).VersionId ?? ''

test('an older version is restored with its bytes, also when only the providers have them', { timeout: 120_000 }, async () => {
  const first = await stage.put(bytes('first'))
  const second = await overwrite(first, 'second')
  await stage.stored(first)
  await stage.stored(second)
  loseCachedFiles(stage.dir)
  const restore = (versionId: string, current: string) =>
    write('versions/restore', { key: first.key, version_id: versionId, expected_current_version_id: current })
  expect(await restore(first.versionId, first.versionId)).toMatchObject({ status: 409, json: { code: 'object_version_changed' } })
  expect(await restore(second.versionId, second.versionId)).toMatchObject({ status: 409, json: { code: 'object_version_already_current' } })
  const restored = await restore(first.versionId, second.versionId)
  expect(restored).toMatchObject({ status: 200, json: { source_version_id: first.versionId } })
  expect(await stage.get(first)).toEqual(first.bytes)
  // The overwritten one stays, and is read from a provider now.
  const old = await stage.s3.send(new GetObjectCommand({ Bucket: stageBucket, Key: first.key, VersionId: second.versionId }))
  expect(Buffer.from((await old.Body?.transformToByteArray()) ?? [])).toEqual(second.bytes)
  const history = await read(`/objects/versions?key=${first.key}&limit=2`)
  expect(history).toMatchObject({ has_more: true, current_version_id: restored.json.version_id, next_version_marker: second.versionId })
  expect(history.versions[0]).toMatchObject({ is_current: true, status: 'success', location: { cache: true, chain: true } })
})

test('a deleted object comes back, or goes for good with its copies', { timeout: 180_000 }, async () => {
  const object = await stage.put(bytes('doomed'))
  const where = await stage.stored(object)
  const { json: removed } = await stage.gateway.call('DELETE', `${path}/objects?key=${object.key}`)
  expect((await read('/objects/deleted')).objects).toMatchObject([{ key: object.key, restore_version_id: object.versionId }])
  expect((await read(`/objects/deletions?key=${object.key}`)).deletions).toMatchObject([{ is_current: true }])
  const marker = { key: object.key, delete_marker_version_id: removed.delete_marker_version_id }
  expect(await write('restore', marker)).toMatchObject({ status: 200, json: { restored_version_id: object.versionId } })
  expect(await stage.get(object)).toEqual(object.bytes)
  expect(await write('deleted/permanent-delete', marker)).toMatchObject({ status: 404, json: { code: 'version_not_found' } })

  const again = await mark(object)
  const purged = await write('deleted/permanent-delete', { key: object.key, delete_marker_version_id: again })
  expect(purged).toMatchObject({
    status: 200,
    json: { data_versions_deleted: 1, delete_markers_deleted: 1, cache_cleanup_failed_count: 0 },
  })
  expect(purged.json.storage_cleanup_task_ids).toHaveLength(2)
  expect((await read(`/objects/versions?key=${object.key}`)).versions).toEqual([])
  await until(
    'its pieces leave the chain',
    async () => {
      const states = where.copies.map((copy) => stage.network.devnet.pieceLive(BigInt(copy.data_set_id), BigInt(copy.piece_id)))
      return (await Promise.all(states)).every((isLive) => !isLive) || undefined
    },
    { withinMs: 120_000 },
  )
})

test('a version is not deleted for good while its copies are being stored', { timeout: 120_000 }, async () => {
  const object = await stage.put(bytes('busy'))
  const body = { key: object.key, version_id: object.versionId }
  expect(await write('permanent-delete', body)).toMatchObject({ status: 409, json: { code: 'object_storage_busy' } })
  await stage.stored(object)
  const deleted = await until('the storage rests', async () => {
    const answer = await write('permanent-delete', body)
    return answer.status === 409 ? undefined : answer
  })
  expect(deleted).toMatchObject({ status: 200, json: { cache_release: 'released', storage_cleanup_task_id: expect.any(Number) } })
  await expect(stage.get(object)).rejects.toMatchObject({ name: 'NoSuchKey' })
})

test('every stored version is listed as of unknown health, and the database is sound in the end', { timeout: 60_000 }, async () => {
  const kept = await stage.put(bytes('kept'))
  await stage.stored(kept)
  const affected = await read(`/storage-health/affected-versions?key=${kept.key}`)
  expect(affected.versions).toMatchObject([{ version_id: kept.versionId, in_cache: true, has_readable_alternative: false }])
  expect(affected.versions[0].risk_data_sets).toHaveLength(2)
  await stage.gateway.stop()
  expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
})
