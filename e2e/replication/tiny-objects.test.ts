import { createHash, randomBytes } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { until } from '../fixtures/until.ts'
import { findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

test('objects of 0, 1 and 126 bytes, put or uploaded in parts, are stored, padded at the providers, and read from there after their eviction', {
  timeout: 300_000,
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
    const objects = [put, putInOnePart].flatMap((upload) => [0, 1, 126].map((size) => ({ upload, size, bytes: randomBytes(size) })))
    for (const { upload, size, bytes } of objects) {
      const versionId = await upload(s3, keyOf({ upload, size }), bytes)
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
    const read = async (Key: string, Range?: string) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'tiny', Key, Range }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [1])
    }
    for (const { upload, size, bytes } of objects) {
      const key = keyOf({ upload, size })
      expect(await read(key)).toEqual(bytes)
      if (size > 0) expect(await read(key, `bytes=${size - 1}-200`)).toEqual(bytes.subarray(size - 1))
    }
  } finally {
    s3.destroy()
    await gateway.stop()
  }
})

const keyOf = ({ upload, size }: { readonly upload: Upload; readonly size: number }): string => `${upload.name}-${size}`

/** Returns the id of the version. */
type Upload = (s3: S3Client, key: string, bytes: Buffer) => Promise<string>

async function put(s3: S3Client, Key: string, Body: Buffer): Promise<string> {
  return (await s3.send(new PutObjectCommand({ Bucket: 'tiny', Key, Body }))).VersionId ?? ''
}

async function putInOnePart(s3: S3Client, Key: string, Body: Buffer): Promise<string> {
  const place = { Bucket: 'tiny', Key }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place))
  const { ETag } = await s3.send(new UploadPartCommand({ ...place, UploadId, PartNumber: 1, Body }))
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] }
  return (await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload }))).VersionId ?? ''
}
