/** Versions that are stored at providers: reads from there, and removal from the chain. */
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onceIdle } from '../fixtures/admin-data.ts'
import { deleteCachedFiles } from '../fixtures/cached-files.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ copies: 2 })
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

test('an older version is restored with its bytes, also when only the providers have them', { timeout: 120_000 }, async () => {
  const first = await stage.put(bytes('first'))
  const second = await overwrite(first, 'second')
  await stage.stored(first)
  await stage.stored(second)
  deleteCachedFiles(stage.dir)
  const restore = (versionId: string, current: string) =>
    write('versions/restore', { key: first.key, version_id: versionId, expected_current_version_id: current })
  const restored = await restore(first.versionId, second.versionId)
  expect(restored).toMatchObject({ status: 200, json: { source_version_id: first.versionId } })
  expect(await stage.get(first)).toEqual(first.bytes)
  // The overwritten version stays, and is read from a provider.
  const old = await stage.s3.send(new GetObjectCommand({ Bucket: stageBucket, Key: first.key, VersionId: second.versionId }))
  expect(Buffer.from((await old.Body?.transformToByteArray()) ?? [])).toEqual(second.bytes)
  const history = await read(`/objects/versions?key=${first.key}&limit=2`)
  expect(history).toMatchObject({ has_more: true, current_version_id: restored.json.version_id, next_version_marker: second.versionId })
  expect(history.versions[0]).toMatchObject({ is_current: true, status: 'success', location: { cache: true, chain: true } })
})

test('permanent deletion removes all copies of an object from the chain', { timeout: 180_000 }, async () => {
  const object = await stage.put(bytes('doomed'))
  const where = await stage.stored(object)
  const { VersionId: marker } = await stage.s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: object.key }))
  const doomed = { key: object.key, delete_marker_version_id: marker }
  const purged = await onceIdle(() => write('deleted/permanent-delete', doomed))
  expect(purged).toMatchObject({
    status: 200,
    json: { data_versions_deleted: 1, delete_markers_deleted: 1, cache_cleanup_failed_count: 0 },
  })
  expect(purged.json.storage_cleanup_task_ids).toHaveLength(2)
  await until(
    'its pieces leave the chain',
    async () => {
      const states = where.copies.map((copy) => stage.network.devnet.pieceLive(BigInt(copy.data_set_id), BigInt(copy.piece_id)))
      return (await Promise.all(states)).every((isLive) => !isLive) || undefined
    },
    { withinMs: 120_000 },
  )
  await stage.gateway.stop()
  expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
})
