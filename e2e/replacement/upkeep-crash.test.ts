/** Killed while copies are raised, and while a repair begins: both continue, and pay nothing twice. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { endServiceOnChain } from '../../devnet/testing/end-service.ts'
import { listRepairs } from '../../plugins/replacement/api.ts'
import { showRaise } from '../../plugins/replication/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway } from '../fixtures/gateways/gateway-process.ts'
import { stageBucket as Bucket } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, waitForCopies } from '../fixtures/verify-copies.ts'
import { completes, generationsOf, look, withReplacements } from './scene.ts'

const killWithinMs = 120_000

async function putObjects(gateway: Gateway, copies: number): Promise<readonly string[]> {
  const user = await gateway.createUser()
  const s3 = gateway.connect(user)
  await s3.send(new CreateBucketCommand({ Bucket }))
  const versionIds: string[] = []
  for (const Key of ['first', 'second', 'third']) {
    const { VersionId = '' } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: randomBytes(2000) }))
    versionIds.push(VersionId)
  }
  s3.destroy()
  for (const versionId of versionIds) await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies })
  return versionIds
}

async function expectKill(gateway: { readonly ended: Promise<unknown> }, probe: string): Promise<void> {
  expect(await Promise.race([gateway.ended, sleep(killWithinMs, 'still alive', { ref: false })]), `the probe ${probe}`).toBe('SIGKILL')
}

async function expectSound(network: FundedDevnet, dir: string): Promise<void> {
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
}

test.concurrent('I-04 I-05 I-09: killed after a page of a raise, the raise continues where it was, and adds each copy once', {
  timeout: 400_000,
}, async () => {
  await using network = await startFundedDevnet({ providers: 3 })
  const dir = network.makeDir('raise')
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings: { 'chain.default_copies': 1 } }
  const path = `/api/v1/buckets/${Bucket}/copies/raise`
  let versionIds: readonly string[]
  {
    await using gateway = await startGateway({ ...options, killAt: '' })
    versionIds = await putObjects(gateway, 1)
    const policy = { default_copies: 2 }
    expect((await gateway.call('PUT', `/api/v1/buckets/${Bucket}/copy-policy`, { json: policy })).status).toBe(200)
    gateway.killAt('storage.raise.page')
    // The gateway may be killed before it answers.
    await gateway.call('POST', path, { json: { client_request_id: 'one', target_copies: 2 } }).catch(() => undefined)
    await expectKill(gateway, 'storage.raise.page')
  }
  await using gateway = await startGateway({ ...options, killAt: '' })
  // The same request after a lost answer is the same raise.
  expect((await gateway.call('POST', path, { json: { client_request_id: 'one', target_copies: 2 } })).status).toBe(202)
  const { raise, contents } = await until('the raise is complete', async () => {
    const shown = answerOf(showRaise, await gateway.call('GET', path))
    return shown.raise?.status === 'completed' ? shown : undefined
  })
  expect([contents, raise?.contents, raise?.copies]).toEqual([0, 3, 3])
  for (const versionId of versionIds) await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 2 })
  await gateway.stop()
  await expectSound(network, dir)
})

test.concurrent('I-04 I-48: killed after a repair confirmed a replacement, the replica moves once', { timeout: 600_000 }, async () => {
  await using network = await startFundedDevnet({ providers: 3 })
  const dir = network.makeDir('repair')
  const settings = {
    'chain.default_copies': 2,
    'repair.auto': true,
    'repair.daily_spend_limit': '',
    'chain.observability.interval': '2s',
    ...withReplacements,
  }
  const options = { dir, devnet: network.devnet, privateKey: network.privateKey, settings }
  let versionIds: readonly string[]
  {
    await using gateway = await startGateway({ ...options, killAt: '' })
    versionIds = await putObjects(gateway, 2)
    const [ended] = await generationsOf({ gateway })
    gateway.killAt('replacement.repair.confirmed')
    await endServiceOnChain(network.devnet, network.privateKey, BigInt(ended?.chainId ?? 0))
    await expectKill(gateway, 'replacement.repair.confirmed')
  }
  await using gateway = await startGateway({ ...options, killAt: '' })
  const { replacements } = await look({ gateway })
  expect(replacements).toHaveLength(1)
  await completes({ gateway }, replacements[0] as { readonly id: number }, 240_000)
  expect((await look({ gateway })).replacements).toHaveLength(1)
  const { repairs } = answerOf(listRepairs, await gateway.call('GET', '/api/v1/storage-repairs'))
  expect(repairs.filter(({ action }) => action === 'replaced')).toHaveLength(1)
  for (const versionId of versionIds) await waitForCopies(gateway, { bucket: Bucket, versionId }, { copies: 2 })
  await gateway.stop()
  const created = network.devnet.providers.flatMap((provider) => provider.transactions()).filter(({ kind, ok }) => kind === 'create' && ok)
  expect(created).toHaveLength(3)
  await expectSound(network, dir)
})
