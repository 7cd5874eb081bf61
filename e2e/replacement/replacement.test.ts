import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { findDuplicateAdds } from '../fixtures/verify-copies.ts'
import { confirm, createBucket, currentOf, expectWhole, look, putObjects, testPlugin, untilReplacement } from './scene.ts'

let network: FundedDevnet
let gateway: Gateway
let dir: string

beforeAll(async () => {
  network = await startFundedDevnet({ providers: 6 })
  dir = network.makeDir('replacement')
  gateway = await startGatewayHere({
    dir,
    devnet: network.devnet,
    privateKey: network.privateKey,
    settings: { 'plugins.packages': [testPlugin] },
  })
})

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await network?.[Symbol.asyncDispose]()
})

test('a replica moves to another provider, and its old service ends', { timeout: 240_000 }, async () => {
  const bucket = 'moving'
  const s3 = await createBucket(gateway, bucket, 2)
  const kept = await putObjects(gateway, s3, bucket, { count: 4, copies: 2 })
  const dataSetId = await currentOf(gateway, bucket)
  const before = await look(gateway, bucket)
  const confirmed = await confirm(gateway, { bucket, dataSetId })
  expect(confirmed.status, confirmed.text).toBe(200)
  const { id, providerId } = confirmed.json.replacement
  expect(before.slots.flatMap(({ generations }) => generations.map((one) => one.providerId))).not.toContain(providerId)
  const done = await untilReplacement(gateway, { bucket, id }, ({ status }) => status === 'completed')
  expect(done).toMatchObject({
    phase: 'none',
    lastError: null,
    progress: { isSeeded: true, total: 4, percent: 100, byState: { copied: 4 } },
  })
  expect(Number(done.terminationEpoch)).toBeGreaterThan(0)
  const [slot] = (await look(gateway, bucket)).slots
  expect(slot?.generations.map(({ state, endCause }) => [state, endCause])).toEqual([
    ['retired', 'replaced'],
    ['ready', null],
  ])
  const found = await expectWhole({ gateway, s3, devnet: network.devnet }, bucket, kept, 2)
  for (const { copies } of found) expect(copies.map(({ provider_id }) => provider_id)).toContain(providerId)
  s3.destroy()
  expect(await findDuplicateAdds(network.devnet)).toEqual([])
})

test('the database of replacements has no violations', async () => {
  await gateway.stop()
  expect(await checkDatabase(dir, network.devnet)).toEqual([])
})
