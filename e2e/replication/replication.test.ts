import { createHash, randomBytes } from 'node:crypto'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

let network: FundedDevnet
let gateway: Gateway
let s3: S3Client

beforeAll(async () => {
  network = await startFundedDevnet()
  gateway = await startGatewayHere({ dir: network.makeDir('gateway'), devnet: network.devnet, privateKey: network.privateKey })
  s3 = gateway.connect(await gateway.createUser())
})

afterAll(async () => {
  s3?.destroy()
  await gateway?.stop()
  await network?.[Symbol.asyncDispose]()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function put(bucket: string, key: string, bytes: Uint8Array): Promise<string> {
  const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
  if (!VersionId) throw new Error('a PUT was answered without a version id')
  return VersionId
}

test('objects of all sizes reach three providers byte for byte, confirmed on chain', { timeout: 180_000 }, async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'sizes' }))
  const objects = [127, 4096, 5 * 1024 * 1024, 32 * 1024 * 1024].map((size) => ({ key: `o-${size}`, bytes: randomBytes(size) }))
  for (const { key, bytes } of objects) {
    const versionId = await put('sizes', key, bytes)
    const provenance = await waitForCopies(gateway, { bucket: 'sizes', versionId }, { copies: 3 })
    expect(await findWrongCopies(network.devnet, provenance, sha256(bytes))).toEqual([])
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'sizes', Key: key }))
    expect(sha256((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(sha256(bytes))
  }
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
})

test('200 small objects put at once share transactions: at most one per ten pieces', { timeout: 240_000 }, async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'many' }))
  const before = network.devnet.addPiecesTransactions().length
  const versions = await Promise.all(Array.from({ length: 200 }, (_, i) => put('many', `small/${i}`, randomBytes(1000))))
  for (const versionId of versions) await waitForCopies(gateway, { bucket: 'many', versionId }, { copies: 3 })
  const transactions = network.devnet.addPiecesTransactions().length - before
  expect(transactions).toBeGreaterThan(0)
  expect(transactions).toBeLessThanOrEqual(60)
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
})

test('I-05: providers that take few pieces in one addition get small ones, and each piece is added once', {
  timeout: 180_000,
}, async () => {
  const piecesMax = 8
  for (const { settings } of network.devnet.providers) settings.piecesPerAddition = piecesMax
  await s3.send(new CreateBucketCommand({ Bucket: 'few' }))
  const earlier = new Set(network.devnet.addPiecesTransactions().map(({ hash }) => hash))
  const versions = await Promise.all(Array.from({ length: 30 }, (_, i) => put('few', `small/${i}`, randomBytes(1000))))
  for (const versionId of versions) await waitForCopies(gateway, { bucket: 'few', versionId }, { copies: 3 })
  const added = network.devnet.addPiecesTransactions().filter(({ hash }) => !earlier.has(hash))
  expect(Math.max(...added.map(({ pieceCids }) => pieceCids.length))).toBeLessThanOrEqual(piecesMax)
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
})
