import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listProbes } from '#kernel/testing'
import { deleteCachedFiles, listCachedFiles } from '../fixtures/cached-files.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'
import './pipeline-steps.ts'

/** Reached only after another fault; the fault tests cover them. */
const recoveryProbes = new Set([
  'storage.commit.reopened',
  'storage.prove.separated',
  'storage.submit.withdrawn',
  'storage.dataset.replanned',
])
/**
 * Probes of other flows: copies within the gateway, deletion, restore, uploads in parts, removal from providers, the end of services, cold
 * reads, which have a test of their own, and objects above one piece and packs, which plugins/storage crashes with small pieces.
 */
const otherFlows = /^storage\.((copy|delete|restore|remove|end|fill|upload|pack)\.|put\.part)/
const fillProbes = listProbes().filter((name) => name.startsWith('storage.fill.'))
const probes = listProbes().filter((name) => name.startsWith('storage.') && !otherFlows.test(name) && !recoveryProbes.has(name))
const killWithinMs = 60_000
/** One that is stored and one that is pulled from it. */
const copies = 2
/** Each chain of probes has one gateway, which is killed and started again for each of them. */
const chainsCount = 6
const chains = Array.from({ length: chainsCount }, (_, chain) => probes.filter((_probe, index) => index % chainsCount === chain).join(', '))

let network: FundedDevnet

beforeAll(async () => {
  network = await startFundedDevnet()
})

afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

interface AcknowledgedObject {
  readonly key: string
  readonly bytes: Buffer
  readonly versionId: string
}

/** Puts objects until the gateway is killed. Resolves with the acknowledged ones. */
async function putUntilKilled(s3: S3Client, bucket: string): Promise<readonly AcknowledgedObject[]> {
  const acknowledged: AcknowledgedObject[] = []
  // Two have their bytes in the database. The first file is written past the page cache, and its piece is named after the upload.
  const objects = [2000, 4_300_003, 2002, 20_003].map((bytes, i) => ({ key: `object-${i}`, bytes: randomBytes(bytes) }))
  for (const { key, bytes } of objects) {
    try {
      const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
      if (VersionId) acknowledged.push({ key, bytes, versionId: VersionId })
    } catch {
      // The process was killed during the request: not acknowledged.
    }
  }
  return acknowledged
}

test.concurrent.for(chains)(
  'I-01 I-04 I-05 I-09 I-24 I-25: killed at %s, every acknowledged object is stored exactly once',
  { timeout: 300_000 },
  async (chain) => {
    const dir = network.makeDir('crash')
    // The pipeline of an object ends with its eviction.
    const settings = { 'cache.eviction_policy': 'after_upload', 'chain.default_copies': copies }
    const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings }
    let user: S3User | undefined
    let killed: Acknowledged | undefined
    for (const probe of chain.split(', ')) {
      await using gateway = await startGateway({ ...options, killAt: '' })
      if (killed) await expectStored(gateway, killed)
      user ??= await gateway.createUser()
      const bucket = probe.replaceAll('.', '-')
      await gateway.connect(user).send(new CreateBucketCommand({ Bucket: bucket }))
      gateway.killAt(probe)
      killed = { bucket, user, acknowledged: await putUntilKilled(gateway.connect(user), bucket) }
      const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
      expect(signal, `the probe ${probe} was not reached`).toBe('SIGKILL')
    }
    if (!killed) throw new Error('a chain has at least one probe')
    // The last one is not killed.
    await using gateway = await startGatewayHere(options)
    await expectStored(gateway, killed)
    await gateway.stop()
    expect(await findDuplicateAdds(network.devnet)).toEqual([])
    expect(await checkDatabase(dir, network.devnet)).toEqual([])
  },
)

test.concurrent('I-03 I-30: killed at each probe of a cold read, the object is read and cached again', { timeout: 300_000 }, async () => {
  expect(fillProbes.length).toBeGreaterThan(5)
  const dir = network.makeDir('cold')
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey }
  const place = { Bucket: 'cold', Key: 'k' }
  const bytes = randomBytes(1_500_000)
  let user: S3User | undefined
  for (const probe of fillProbes) {
    await using gateway = await startGateway({ ...options, killAt: '' })
    user ??= await storeOne(gateway, place, bytes)
    deleteCachedFiles(dir)
    gateway.killAt(probe)
    const s3 = gateway.connect(user)
    // The client may have all bytes before the kill, or none.
    const read = async () => (await s3.send(new GetObjectCommand(place))).Body?.transformToByteArray()
    await read().catch(() => undefined)
    const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
    expect(signal, `the probe ${probe} was not reached`).toBe('SIGKILL')
    s3.destroy()
  }
  if (!user) throw new Error('a cold read has at least one probe')
  await using gateway = await startGatewayHere(options)
  deleteCachedFiles(dir)
  const s3 = gateway.connect(user)
  const { Body } = await s3.send(new GetObjectCommand(place))
  expect(sha256((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(sha256(bytes))
  await until('one cached file', async () => {
    const files = listCachedFiles(dir)
    return (files.length === 1 && readFileSync(String(files[0])).equals(bytes)) || undefined
  })
  s3.destroy()
  await gateway.stop()
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
})

async function storeOne(gateway: Gateway, place: { readonly Bucket: string; readonly Key: string }, bytes: Buffer): Promise<S3User> {
  const user = await gateway.createUser()
  const s3 = gateway.connect(user)
  await s3.send(new CreateBucketCommand(place))
  const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ ...place, Body: bytes }))
  await waitForCopies(gateway, { bucket: place.Bucket, versionId }, { copies: 3 })
  s3.destroy()
  return user
}

interface Acknowledged {
  readonly bucket: string
  readonly user: S3User
  readonly acknowledged: readonly AcknowledgedObject[]
}

/** Each object is read back, and has its bytes on two providers. */
async function expectStored(gateway: Gateway, { bucket, user, acknowledged }: Acknowledged): Promise<void> {
  const s3 = gateway.connect(user)
  for (const { key, bytes, versionId } of acknowledged) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    expect(sha256((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(sha256(bytes))
    const provenance = await waitForCopies(gateway, { bucket, versionId }, { copies })
    expect(await findWrongCopies(network.devnet, provenance, sha256(bytes))).toEqual([])
  }
  s3.destroy()
}
