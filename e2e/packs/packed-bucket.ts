/** One bucket whose gateway is killed at a probe while it works, again and again. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { findDuplicateAdds, type Provenance, waitForCopies } from '../fixtures/verify-copies.ts'

export const packedBucket = 'packed'
const settings = {
  'packs.idle': '300ms',
  'packs.wait': '1s',
  'chain.default_copies': 2,
  'cache.database_object_bytes': 300,
} as const
const killWithinMs = 120_000

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly bytes: Buffer
}

/** A running gateway, and what it acknowledged so far. */
export interface Round {
  readonly gateway: Gateway
  readonly s3: S3Client
  readonly objects: Acknowledged[]
  /** Part of the keys of this round. */
  readonly name: string
}

/** Puts objects until the gateway is killed. */
export async function putSome({ s3, objects, name }: Round): Promise<void> {
  for (let at = 0; at < 6; at++) {
    const [key, bytes] = [`${name}-${at}`, randomBytes(200 + at * 100)]
    const put = await s3.send(new PutObjectCommand({ Bucket: packedBucket, Key: key, Body: bytes })).catch(() => undefined)
    if (put?.VersionId) objects.push({ key, versionId: put.VersionId, bytes })
  }
}

export async function removeSome({ s3, objects }: Round, count: number): Promise<void> {
  for (const { key, versionId } of objects.splice(0, count)) {
    await s3.send(new DeleteObjectCommand({ Bucket: packedBucket, Key: key, VersionId: versionId }))
  }
}

/** Waits until each object has its copies, and reads it. */
export async function expectStored({ gateway, s3, objects }: Omit<Round, 'name'>): Promise<readonly Provenance[]> {
  const found: Provenance[] = []
  for (const { key, versionId, bytes } of objects) {
    found.push(await waitForCopies(gateway, { bucket: packedBucket, versionId }, { copies: 2 }))
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: packedBucket, Key: key, VersionId: versionId }))
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true)
  }
  return found
}

interface KilledSteps {
  readonly network: FundedDevnet
  /** The packing of the bucket when it is created. */
  readonly packing: 'off' | 'small'
  readonly probes: readonly string[]
  /** Before the probe is armed. */
  prepare?(round: Round): Promise<void>
  /** Makes the gateway reach the probe. Its requests may fail, because the gateway is killed. */
  act(round: Round): Promise<void>
  /** Called with a gateway that is not killed. */
  finish(round: Round): Promise<void>
}

/** Kills a process at each probe, and expects after each start that nothing is lost; at the end, that nothing was paid twice and no file is left. */
export async function killAtEach({ network, packing, probes, prepare, act, finish }: KilledSteps): Promise<void> {
  const dir = network.makeDir('packs')
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings: { ...settings, 'packs.default': packing } }
  const objects: Acknowledged[] = []
  let user: S3User | undefined
  for (const probe of probes) {
    await using gateway = await startGateway({ ...options, killAt: '' })
    user ??= await gateway.createUser()
    const s3 = gateway.connect(user)
    const round = { gateway, s3, objects, name: probe }
    if (probe === probes[0]) await s3.send(new CreateBucketCommand({ Bucket: packedBucket }))
    await expectStored(round)
    await prepare?.(round)
    gateway.killAt(probe)
    await act(round)
    const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
    expect(signal, `the probe ${probe} was not reached`).toBe('SIGKILL')
    s3.destroy()
  }
  await using gateway = await startGatewayHere(options)
  const s3 = gateway.connect(user as S3User)
  const round = { gateway, s3, objects, name: 'last' }
  await expectStored(round)
  await finish(round)
  s3.destroy()
  await gateway.stop()
  expect(await findDuplicateAdds(network.devnet, network.payer)).toEqual([])
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
}
