/** Wallet operations of the Admin API: gateways that are killed, nodes that lose, forget or refuse transactions, and reorganisations. */
import { join } from 'node:path'
import { createPublicClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { listProbes } from '#kernel/testing'
import '../../plugins/wallet/testing/probes.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { type Lies, startLyingNode } from '../fixtures/lying-node.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'

const payAbi = parseAbi(['function accounts(address token, address owner) view returns (uint256, uint256, uint256, uint256)'])
/** Probes of replacements are in the tests beside the code: they need fees that rise. */
const probes = listProbes().filter((name) => name.startsWith('wallet.operation.'))
const usdfc = 10n ** 18n
const killWithinMs = 60_000

let network: FundedDevnet
beforeAll(async () => {
  network = await startFundedDevnet({ isFunded: false, providers: 1 })
})
afterAll(() => network?.[Symbol.asyncDispose]())

type Type = 'fund' | 'withdraw' | 'approve'

async function newWallet({ devnet, makeDir }: FundedDevnet = network) {
  const { address, privateKey } = await devnet.createWallet()
  const client = createPublicClient({ transport: http(devnet.rpcUrl) })
  const { filecoinPay, usdfc: token } = devnet.contracts
  return {
    options: { dir: makeDir('operations'), devnet, privateKey },
    /** Transactions and deposit that the chain has of the wallet. */
    async paid() {
      const [transactions, [funds]] = await Promise.all([
        client.getTransactionCount({ address }),
        client.readContract({ address: filecoinPay, abi: payAbi, functionName: 'accounts', args: [token, address] }),
      ])
      return { transactions, funds }
    },
  }
}

const post = (gateway: Gateway, type: Type, id: string, amount = usdfc) =>
  gateway.call('POST', `/api/v1/wallet/${type}`, {
    json: { client_request_id: id, ...(type !== 'approve' && { amount: String(amount) }) },
  })

const find = async (gateway: Gateway, type: Type, id: string) => {
  const { json } = await gateway.call('GET', '/api/v1/wallet/operations?limit=100')
  return json.operations.find((one: { type: string; client_request_id: string }) => one.type === type && one.client_request_id === id)
}

const reaches = (gateway: Gateway, [type, id]: readonly [Type, string], status: string) =>
  until(
    `${type} ${id} is ${status}`,
    async () => {
      const found = await find(gateway, type, id)
      return found?.status === status ? found : undefined
    },
    { withinMs: 60_000, everyMs: 50 },
  )

test.concurrent.for<Type>(['fund', 'withdraw', 'approve'])(
  'I-04 I-05 I-50: a gateway killed at each probe of %s sends one transaction, and the record ends confirmed',
  { timeout: 300_000 },
  async (type) => {
    expect(probes.length).toBeGreaterThanOrEqual(5)
    const { options, paid } = await newWallet()
    const configPath = join(options.dir, 'config.toml')
    {
      await using gateway = await startGatewayHere(options)
      expect((await post(gateway, 'fund', 'first', 100n * usdfc)).status).toBe(202)
      await reaches(gateway, ['fund', 'first'], 'confirmed')
    }
    for (const [n, probe] of probes.entries()) {
      // An approval needs no transaction while the limits are those on chain.
      saveConfigFile(configPath, { 'chain.spending.approved_usdfc_per_month': 2000 + n })
      const before = await paid()
      {
        await using gateway = await startGateway({ ...options, killAt: '' })
        gateway.killAt(probe)
        // The process may be killed before it answers.
        await post(gateway, type, probe).catch(() => undefined)
        const end = await Promise.race([gateway.ended, new Promise((late) => setTimeout(late, killWithinMs, 'alive').unref())])
        expect(end, `the probe ${probe} was not reached`).toBe('SIGKILL')
      }
      await using gateway = await startGatewayHere(options)
      // An operator who got no answer asks again.
      expect((await post(gateway, type, probe)).status).toBe(202)
      expect(await reaches(gateway, [type, probe], 'confirmed')).toMatchObject({ tx_hash: expect.stringMatching(/^0x/) })
      const change = { fund: usdfc, withdraw: -usdfc, approve: 0n }[type]
      expect(await paid()).toEqual({ transactions: before.transactions + 1, funds: before.funds + change })
    }
  },
)

async function behindNode(lies: Lies, own?: FundedDevnet) {
  const wallet = await newWallet(own)
  const node = await startLyingNode(wallet.options.devnet.rpcUrl, lies)
  const gateway = await startGatewayHere({ ...wallet.options, settings: { 'chain.rpc_url': `${node.url}/a-token-in-the-path` } })
  return {
    ...wallet,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
    },
  }
}

test.concurrent('I-05 I-10: 20 requests at once whose answers from the node are lost are one deposit; nothing shows the token of the node', {
  timeout: 120_000,
}, async () => {
  await using scene = await behindNode({ loses: ({ method }) => method === 'eth_sendRawTransaction' })
  const { gateway, paid } = scene
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(gateway, 'fund', 'once')))
  expect(new Set(answers.map(({ status, json }) => `${status} ${json.operation.id}`)).size).toBe(1)
  const operation = await reaches(gateway, ['fund', 'once'], 'confirmed')
  for (const at of ['started_at', 'submitted_at', 'completed_at']) expect(operation[at]).toMatch(/^\d{4}-.+\.\d{3}Z$/)
  expect(await paid()).toEqual({ transactions: 1, funds: usdfc })
  expect((await post(gateway, 'fund', 'once')).json).toEqual({ operation })
  expect(await paid()).toEqual({ transactions: 1, funds: usdfc })
  const pages = ['/api/v1/wallet', '/api/v1/wallet/operations', '/api/v1/tasks', '/metrics']
  const texts = [gateway.log(), ...(await Promise.all(pages.map(async (path) => (await gateway.call('GET', path)).text)))]
  for (const text of texts) expect(text).not.toMatch(/a-token-in-the-path/)
  expect(texts.at(-1)).toContain('svc_wallet_operations{type="fund",status="confirmed"} 1')
})

test.concurrent('a transaction whose fee is refused is not sent, and its task can be retried', {
  timeout: 120_000,
}, async () => {
  let isDear = true
  const dear = `0x${(10n ** 15n).toString(16)}`
  await using scene = await behindNode({ result: ({ method }) => (isDear && method === 'eth_maxPriorityFeePerGas' ? dear : undefined) })
  const { gateway, paid } = scene
  await post(gateway, 'fund', 'dear')
  expect(await reaches(gateway, ['fund', 'dear'], 'failed')).toMatchObject({ last_error: expect.stringContaining('chain.spending') })
  const findTask = () => until('the failed task', async () => (await readTasks(gateway, '?type=wallet_operation&status=failed')).tasks[0])
  const task = await findTask()
  expect(task).toMatchObject({
    subject: { type: 'wallet_operation', key: 'fund dear' },
    retryable: true,
    retry_effect: { level: 'review' },
  })
  expect(await paid()).toEqual({ transactions: 0, funds: 0n })
  isDear = false
  expect((await gateway.call('POST', `/api/v1/tasks/${task.id}/retry`)).status).toBe(200)
  await reaches(gateway, ['fund', 'dear'], 'confirmed')
  expect(await paid()).toEqual({ transactions: 1, funds: usdfc })
})

test.concurrent('a withdrawal above what can be withdrawn says how much can be; an approval in place needs no transaction', {
  timeout: 120_000,
}, async () => {
  const { options, paid } = await newWallet()
  await using gateway = await startGatewayHere(options)
  await post(gateway, 'fund', 'a', 3n * usdfc)
  await reaches(gateway, ['fund', 'a'], 'confirmed')
  await post(gateway, 'withdraw', 'b', 4n * usdfc)
  expect(await reaches(gateway, ['withdraw', 'b'], 'failed')).toMatchObject({
    last_error: 'Only 3 USDFC (3000000000000000000 base units) can be withdrawn now; the rest is locked or needed for the next epochs.',
  })
  await post(gateway, 'approve', 'c')
  expect(await reaches(gateway, ['approve', 'c'], 'confirmed')).not.toHaveProperty('tx_hash')
  const { json } = await gateway.call('GET', '/api/v1/wallet')
  expect(json).toMatchObject({
    configured: true,
    identity: { nonce: 1 },
    payment_account: { funds: String(3n * usdfc), withdrawable_funds: String(3n * usdfc), no_active_spend: true, deposit_for_90_days: '0' },
    contracts: { approval: { approved: true } },
    business: { data_set_count: 0, onchain_tasks_pending: 0, onchain_tasks_completed: 2 },
  })
  expect(json).not.toHaveProperty('partial_errors')
  await post(gateway, 'withdraw', 'd', 3n * usdfc)
  await reaches(gateway, ['withdraw', 'd'], 'confirmed')
  expect(await paid()).toEqual({ transactions: 2, funds: 0n })
  // The change cleared the cache.
  expect((await gateway.call('GET', '/api/v1/wallet')).json.payment_account.funds).toBe('0')
})

test('I-05: a transaction that the node forgets, or that a reorganisation drops, is sent again with the same bytes and lands once', {
  timeout: 240_000,
}, async () => {
  await using own = await startFundedDevnet({ isFunded: false, providers: 1 })
  const { options, paid } = await newWallet(own)
  const { chain } = own.devnet
  await using gateway = await startGatewayHere({ ...options, settings: { 'chain.confirmations': 3, 'chain.finality_epochs': 5 } })
  for (const [n, lose] of [
    async (hash: `0x${string}`) => void (await chain.drop(hash)),
    async () => {
      await chain.mine(1)
      await chain.reorg(1)
    },
  ].entries()) {
    const id = `lost-${n}`
    await chain.hold()
    await post(gateway, 'fund', id)
    const { tx_hash } = await reaches(gateway, ['fund', id], 'submitted')
    await lose(tx_hash)
    await chain.release()
    expect(await reaches(gateway, ['fund', id], 'confirmed')).toMatchObject({ tx_hash })
    expect(await paid()).toEqual({ transactions: n + 1, funds: BigInt(n + 1) * usdfc })
  }
})
