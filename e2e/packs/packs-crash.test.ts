/** Kills at every step of sealing and compaction: no object is lost, no piece is paid twice, and no file is left. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { listProbes } from '#kernel/testing'
import { checkDatabase } from '../fixtures/check-database.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, waitForCopies } from '../fixtures/verify-copies.ts'
import '../../plugins/storage/testing/probes.ts'
import '../../plugins/packs/testing/probes.ts'

const bucket = 'packed'
const settings = {
  'packs.default': 'small',
  'packs.idle': '300ms',
  'packs.wait': '1s',
  'chain.default_copies': 2,
  'cache.database_object_bytes': 300,
} as const
/** Reached only without room in the cache; sealing has a test of it. */
const otherFlows = new Set(['packs.handed-over'])
const listed = listProbes().filter((name) => /^(storage\.pack|packs)\./.test(name) && !otherFlows.has(name))
/** Compaction comes last, because it needs stored packs. */
const probes = [...listed.filter((name) => !name.includes('compact')), 'packs.compact.written', 'packs.compact.moved']
const killWithinMs = 60_000

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly bytes: Buffer
}

/** Puts objects until the gateway is killed. */
async function putSome(s3: S3Client, name: string, acknowledged: Acknowledged[]): Promise<void> {
  for (let at = 0; at < 6; at++) {
    const [key, bytes] = [`${name}-${at}`, randomBytes(200 + at * 100)]
    const put = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes })).catch(() => undefined)
    if (put?.VersionId) acknowledged.push({ key, versionId: put.VersionId, bytes })
  }
}

async function expectStored(gateway: Gateway, s3: S3Client, objects: readonly Acknowledged[]): Promise<void> {
  for (const { key, versionId, bytes } of objects) {
    await waitForCopies(gateway, { bucket, versionId }, { copies: 2 })
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true)
  }
}

/** Deletes three objects and asks for each pack to be replaced. The gateway is killed during the last of these requests. */
async function compactAll(gateway: Gateway, s3: S3Client, objects: Acknowledged[]): Promise<void> {
  for (const { key, versionId } of objects.splice(0, 3)) {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
  }
  const { packs } = (await gateway.call('GET', `/api/v1/packs?bucket=${bucket}`)).json
  for (const { id } of packs) await gateway.call('POST', `/api/v1/packs/${id}/compact`).catch(() => undefined)
}

test('I-01 I-03 I-05 I-09: killed at each step of sealing and compaction, every object is stored once', { timeout: 400_000 }, async () => {
  expect([...probes].sort()).toEqual([...listed].sort())
  await using network = await startFundedDevnet({ providers: 2, blockTimeSeconds: 0.5 })
  const dir = network.makeDir('packs')
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings }
  const objects: Acknowledged[] = []
  let user: S3User | undefined
  for (const probe of probes) {
    await using gateway = await startGateway({ ...options, killAt: '' })
    user ??= await gateway.createUser()
    const s3 = gateway.connect(user)
    if (objects.length === 0) await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    await expectStored(gateway, s3, objects)
    gateway.killAt(probe)
    if (probe.startsWith('packs.compact')) await compactAll(gateway, s3, objects)
    else await putSome(s3, probe, objects)
    const signal = await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })])
    expect(signal, `the probe ${probe} was not reached`).toBe('SIGKILL')
    s3.destroy()
  }
  await using gateway = await startGatewayHere(options)
  const s3 = gateway.connect(user as S3User)
  await expectStored(gateway, s3, objects)
  await until('the old packs are gone', async () => {
    const { packs } = (await gateway.call('GET', `/api/v1/packs?bucket=${bucket}`)).json
    return packs.every((pack: { members: number }) => pack.members > 0) || undefined
  })
  s3.destroy()
  await gateway.stop()
  expect(await findDuplicateAdds(network.devnet, network.payer)).toEqual([])
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
})
