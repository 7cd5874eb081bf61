import { createHash, randomBytes } from 'node:crypto'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { startFundedDevnet } from '../fixtures/funded-devnet.ts'
import { startGatewayHere } from '../fixtures/gateway-process.ts'
import { until } from '../fixtures/until.ts'
import { findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

test('objects of 0, 1 and 126 bytes are stored, padded at the providers, and read from there after their eviction', {
  timeout: 180_000,
}, async () => {
  await using network = await startFundedDevnet()
  const gateway = await startGatewayHere({
    dir: network.makeDir('gateway'),
    devnet: network.devnet,
    privateKey: network.privateKey,
    settings: { 's3.object_sizes': 'any', 'cache.eviction_policy': 'after_upload' },
  })
  const s3 = gateway.connect(await gateway.createUser())
  try {
    await s3.send(new CreateBucketCommand({ Bucket: 'tiny' }))
    const objects = [0, 1, 126].map((size) => ({ key: `o-${size}`, bytes: randomBytes(size) }))
    for (const { key, bytes } of objects) {
      const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: 'tiny', Key: key, Body: bytes }))
      const { json } = await gateway.call('GET', `/api/v1/buckets/tiny/objects/provenance?version_id=${versionId}`)
      if (bytes.length === 0) {
        expect(json).toMatchObject({ state: 'stored', status: 'success', requested_copies: 0, copies: [] })
        continue
      }
      const provenance = await waitForCopies(gateway, { bucket: 'tiny', versionId }, { copies: 3 })
      const padded = Buffer.concat([bytes, Buffer.alloc(127 - bytes.length)])
      expect(await findWrongCopies(network.devnet, provenance, createHash('sha256').update(padded).digest('hex'))).toEqual([])
    }
    const list = () => gateway.call('GET', '/api/v1/buckets/tiny/objects')
    await until('all objects left the cache', async () => {
      const { json } = await list()
      const cached = json.objects.filter(({ size, location }: { size: number; location: { cache: boolean } }) => size > 0 && location.cache)
      return cached.length === 0 ? true : undefined
    })
    for (const { key, bytes } of objects) {
      const { Body, ContentLength } = await s3.send(new GetObjectCommand({ Bucket: 'tiny', Key: key }))
      expect(ContentLength).toBe(bytes.length)
      expect(Buffer.from((await Body?.transformToByteArray()) ?? [1]).equals(bytes)).toBe(true)
    }
  } finally {
    s3.destroy()
    await gateway.stop()
  }
})
