/** False answers of a chain node cost the operator nothing: svc signs no transaction and reports the reason. */
import { randomBytes } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { type Lies, startLyingNode } from '../fixtures/lying-node.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'

let network: FundedDevnet
beforeAll(async () => {
  network = await startFundedDevnet({ providers: 1 })
})
afterAll(() => network?.[Symbol.asyncDispose]())

/** Runs `svc wallet deposit 1` against a node that lies. */
async function deposit(lies: Lies) {
  await using node = await startLyingNode(network.devnet.rpcUrl, lies)
  using home = svcHome()
  const run = await home.run(['wallet', 'deposit', '1'], {
    SVC_CHAIN_NETWORK: 'devnet',
    SVC_CHAIN_DEVNET_INFO: network.devnet.infoPath,
    SVC_CHAIN_RPC_URL: node.url,
    SVC_CHAIN_PRIVATE_KEY: network.privateKey,
  })
  return { ...run, asked: node.asked }
}

const hex = (value: bigint | number) => `0x${value.toString(16)}`
/** Always answers `method` with the same result. */
const always = (method: string, lie: unknown): Lies => ({ result: (question) => (question.method === method ? lie : undefined) })
const asJson = (text: string): Lies => ({
  answer: (_question, response) => void response.setHeader('content-type', 'application/json').end(text),
})
const tooHigh = (setting: string) =>
  new RegExp(`^fatal: nothing was sent: The transaction was not signed: its fee would be up to [\\d.]+ \\w+FIL.* of ${setting}\\.`)
const implausible = /^fatal: nothing was sent: The chain node reported .+, which is impossible\. Check the node/
const noAnswer = /^fatal: no answer from the chain node http:\/\/127\.0\.0\.1:\d+ \(/

const attacks: readonly (readonly [what: string, lies: Lies, refusal: RegExp])[] = [
  [
    'requires a huge priority fee',
    always('eth_maxPriorityFeePerGas', hex(10n ** 18n)),
    tooHigh('chain\\.spending\\.max_fee_per_gas_nanofil'),
  ],
  [
    'claims that the call takes a whole block of gas',
    always('eth_estimateGas', hex(9_999_999_999)),
    tooHigh('chain\\.spending\\.max_transaction_fee_millifil'),
  ],
  ['claims a nonce from the far future', always('eth_getTransactionCount', hex(2n ** 50n)), implausible],
  ['answers without end', asJson(`{"result":"${'0'.repeat(20 * 1024 * 1024)}"}`), noAnswer],
]

for (const [what, lies, refusal] of attacks) {
  test.concurrent(`I-33: a node that ${what} receives no signed transaction, and the error says why`, async () => {
    const { code, stdout, stderr, asked } = await deposit(lies)
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(refusal) })
    expect(asked.length).toBeGreaterThan(0)
    expect(asked).not.toContain('eth_sendRawTransaction')
  })
}

test.concurrent('a redirect from the node is not followed', async () => {
  await using elsewhere = await startLyingNode(network.devnet.rpcUrl, {})
  const { code, stderr, asked } = await deposit({
    answer: (_question, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
  })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(noAnswer) })
  expect(asked.length).toBeGreaterThan(0)
  expect(elsewhere.asked).toEqual([])
})

test.concurrent('contracts of an unknown major version block readiness, and no transaction is sent for an object', async () => {
  const version = (text: string) => Buffer.from(text).toString('hex')
  await using node = await startLyingNode(network.devnet.rpcUrl, {
    result: ({ method }, truth) =>
      method === 'eth_call' && typeof truth === 'string' ? truth.replaceAll(version('1.4.'), version('2.4.')) : undefined,
  })
  const dir = network.makeDir('gateway')
  const { devnet, privateKey } = network
  await using gateway = await startGatewayHere({ dir, devnet, privateKey, settings: { 'chain.rpc_url': node.url } })
  const { json } = await gateway.call('GET', '/api/v1/chain/readiness')
  expect(json.status).toBe('blocked')
  expect(json.checks).toContainEqual({
    id: 'contract_versions',
    status: 'blocked',
    message: expect.stringMatching(/^FilecoinWarmStorageService is at version 2\.4\.\d; this release of svc needs 1\.3 or a later 1\.x\.$/),
    action: expect.stringContaining('Update svc'),
  })
  const user = await gateway.createUser()
  const bucket = { name: 'waiting', owner_access_key: user.access_key, default_copies: 1 }
  expect((await gateway.call('POST', '/api/v1/buckets', { json: bucket })).status).toBe(201)
  const s3 = gateway.connect(user)
  await s3.send(new PutObjectCommand({ Bucket: 'waiting', Key: 'object', Body: randomBytes(1000) }))
  s3.destroy()
  const task = await until('a data set that waits', async () =>
    (await readTasks(gateway, '?limit=100')).tasks.find(({ wait_reason }) => wait_reason === 'funding'),
  )
  expect(task).toMatchObject({ retry_count: 0 })
  expect(gateway.log()).toContain('contracts not supported')
  expect(devnet.providers[0]?.counters.createTransactions).toBe(0)
})
