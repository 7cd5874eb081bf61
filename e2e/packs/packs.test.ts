/** Many small objects in one paid piece, on a devnet. */
import { randomBytes } from 'node:crypto'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds } from '../fixtures/verify-copies.ts'

const settings = {
  'packs.default': 'small',
  'packs.idle': '500ms',
  'packs.wait': '2s',
  'cache.fill_on_read': false,
  'cache.database_object_bytes': 0,
} as const

const isRight = async (stage: Stage, object: StoredObject) => (await stage.get(object)).equals(object.bytes)

test('small objects are one piece of each data set, are read from a provider, and the last one removes it', {
  timeout: 300_000,
}, async () => {
  await using stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 0.5, settings })
  const { s3, network, gateway } = stage
  const small = await Promise.all(Array.from({ length: 40 }, (_, at) => stage.put(randomBytes(at % 4 === 0 ? 20_000 : 200 + at))))
  const large = await stage.put(randomBytes(1_100_000))
  const [where] = await Promise.all(small.map((object) => stage.stored(object)))
  await stage.stored(large)
  const pieces = (await Promise.all(small.map((object) => stage.stored(object)))).flatMap(({ copies }) => copies)
  const places = new Set(pieces.map(({ data_set_id, piece_id }) => `${data_set_id} ${piece_id}`))
  // Objects that came while the first pack was written are in a second one.
  expect(places.size).toBeLessThanOrEqual(4)
  expect(new Set(network.devnet.addPiecesTransactions().flatMap(({ pieceCids }) => pieceCids)).size).toBe(places.size / 2 + 1)
  const path = `/api/v1/buckets/${stageBucket}/objects/provenance?version_id=${small[1]?.versionId}`
  expect((await gateway.call('GET', path)).json.pack).toEqual({ id: expect.any(Number), offset: expect.any(Number), length: 201 })
  const bucket = (await gateway.call('GET', `/api/v1/buckets/${stageBucket}`)).json
  expect(bucket.packing).toMatchObject({
    policy: 'small',
    erase_within_days: 0,
    waiting: { contents: 0, bytes: 0 },
    packs: { objects: 40 },
  })
  for (const dataSet of bucket.data_sets) expect(dataSet.referenced_version_count).toBe(41)

  expect(stage.emptyCache()).toBeGreaterThanOrEqual(41)
  expect(await isRight(stage, large)).toBe(true)
  for (const object of small) expect(await isRight(stage, object)).toBe(true)
  expect((await stage.get(small[0] as StoredObject, 'bytes=100-199')).equals((small[0] as StoredObject).bytes.subarray(100, 200))).toBe(
    true,
  )
  const [provider] = await stage.providers()
  provider?.faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  for (const object of small.slice(0, 5)) expect(await isRight(stage, object)).toBe(true)
  provider?.faults.clear()

  const policy = { bucket: stageBucket, packing: 'small', erase_within_days: 30 }
  expect((await gateway.call('PUT', '/api/v1/packs/policy', { json: policy })).json).toEqual(policy)
  const purged = small.pop() as StoredObject
  const purge = { json: { key: purged.key, version_id: purged.versionId } }
  expect((await gateway.call('POST', `/api/v1/buckets/${stageBucket}/objects/permanent-delete`, purge)).json).toMatchObject({
    shared_pieces: { pack_ids: [expect.any(Number)], erased_within_days: 30 },
  })
  for (const { key, versionId } of small) await s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key, VersionId: versionId }))
  const copies = where?.copies ?? []
  expect(copies).toHaveLength(2)
  for (const { data_set_id, piece_id } of copies) {
    await until(
      'the piece of the pack is removed',
      async () => !(await network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))) || undefined,
      { withinMs: 120_000 },
    )
  }
  await gateway.stop()
  expect([...(await findDuplicateAdds(network.devnet, network.payer)), ...(await checkDatabase(stage.dir, network.devnet))]).toEqual([])
})
