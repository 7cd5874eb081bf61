/** What a new installation does with small objects when no setting says anything about packs. */
import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import type { AdminCalls } from '../fixtures/admin-calls.ts'
import { startDev } from '../fixtures/gateways/dev-process.ts'
import { stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'

const policyOf = async (gateway: AdminCalls, bucket: string) =>
  (await gateway.call('GET', `/api/v1/buckets/${bucket}`)).json.packing?.policy

/** The fields of an answer, without those that are undefined. */
const fieldsOf = (json: object) => Object.keys(json).toSorted()

test('buckets of S3 and of the Admin API pack small objects; an object that waits is in the cache, and has the fields of any other', {
  timeout: 180_000,
}, async () => {
  // The defaults of packs.wait and packs.idle are longer than this test.
  await using stage = await startStage({ copies: 2, settings: { 'packs.default': undefined } })
  const { gateway, s3 } = stage
  await s3.send(new CreateBucketCommand({ Bucket: 'by-s3' }))
  expect([await policyOf(gateway, stageBucket), await policyOf(gateway, 'by-s3')]).toEqual(['small', 'small'])

  const answer = async (what: 'status-detail' | 'provenance', bucket: string, versionId?: string) =>
    (await gateway.call('GET', `/api/v1/buckets/${bucket}/objects/${what}?version_id=${versionId}`)).json
  const object = await stage.put(randomBytes(500))
  const { VersionId: other } = await s3.send(new PutObjectCommand({ Bucket: 'by-s3', Key: 'other', Body: randomBytes(600) }))
  const large = await s3.send(new PutObjectCommand({ Bucket: 'by-s3', Key: 'large', Body: randomBytes(1024 ** 2 + 1) }))
  const detail = await answer('status-detail', stageBucket, object.versionId)
  expect(detail).toMatchObject({
    state: 'cached',
    message: expect.stringMatching(/^waits for its pack, 0 of 256 MiB, at most (10|[1-9]) min$/),
  })
  const provenance = await answer('provenance', stageBucket, object.versionId)
  expect(provenance).toMatchObject({ state: 'cached', success_copies: 0, copies: [] })
  expect((await stage.get(object)).equals(object.bytes)).toBe(true)

  // While packed objects wait, an object that is a piece of its own gets its copies.
  const stored = await waitForCopies(gateway, { bucket: 'by-s3', versionId: large.VersionId ?? '' }, { copies: 2 })
  expect(stored.pack).toBeUndefined()
  expect(await answer('provenance', 'by-s3', other)).toMatchObject({ state: 'cached', success_copies: 0, copies: [] })
  const [storedAlone, waiting] = (await gateway.call('GET', '/api/v1/buckets/by-s3/objects')).json.objects
  expect([...fieldsOf(waiting), 'piece_cid'].toSorted()).toEqual(fieldsOf(storedAlone))

  for (const bucket of [stageBucket, 'by-s3']) {
    expect((await gateway.call('POST', '/api/v1/packs/seal', { json: { bucket } })).json).toEqual({ bucket, contents: 1 })
  }
  expect((await stage.stored(object)).pack).toMatchObject({ length: 500 })
})

test('svc dev seals within seconds', { timeout: 240_000 }, async () => {
  await using dev = await startDev()
  const s3 = dev.connect()
  const bucket = 'photos'
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: randomBytes(400) }))
  const { json } = await dev.call('GET', `/api/v1/buckets/${bucket}/objects/status-detail?version_id=${versionId}`)
  expect(json.message).toMatch(/^waits for its pack, 0 of 256 MiB, at most (1[0-5]|\d) s$/)
  expect((await waitForCopies(dev, { bucket, versionId }, { copies: 3 })).pack).toMatchObject({ length: 400 })
  s3.destroy()
})
