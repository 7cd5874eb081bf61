/** Readiness of the running service, and of settings that are not saved yet. On a devnet. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'

interface Check {
  readonly id: string
  readonly status: string
  readonly message: string
  readonly action?: string
  readonly required_usdfc?: string
}

const preflightPath = '/api/v1/chain/readiness/preflight'
const configChecks = ['config_private_key ready', 'config_rpc_url ready', 'config_network ready', 'config_default_copies ready']
const fine = [
  'network_match ready',
  'wallet_fil_gas ready',
  'wallet_usdfc ready',
  'payment_account ready',
  'payment_runway ready',
  'providers ready',
  'storage_cost ready',
]

const stack = new AsyncDisposableStack()
let network: FundedDevnet
let gateway: Gateway
beforeAll(async () => {
  network = stack.use(await startFundedDevnet({ isFunded: false, providers: 3 }))
  const dir = network.makeDir('gateway')
  const settings = { 'chain.default_copies': 2 }
  gateway = stack.use(await startGatewayHere({ dir, devnet: network.devnet, privateKey: network.privateKey, settings }))
})
afterAll(() => stack.disposeAsync())

const runtime = async () => (await gateway.call('GET', '/api/v1/chain/readiness')).json
const preflight = async (chain: object = {}) => (await gateway.call('POST', preflightPath, { json: { chain } })).json
const listed = ({ checks }: { readonly checks: readonly Check[] }) => checks.map(({ id, status }) => `${id} ${status}`)
const find = ({ checks }: { readonly checks: readonly Check[] }, id: string) => checks.find((check) => check.id === id)

/** A node that answers the chain id and refuses every other call. */
async function fakeNode(chainId: number): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const asked = JSON.parse(text)
    const answer = ({ id, method }: { id: number; method: string }) =>
      method === 'eth_chainId'
        ? { jsonrpc: '2.0', id, result: `0x${chainId.toString(16)}` }
        : { jsonrpc: '2.0', id, error: { code: -32_000, message: `no ${method} for 0xfeed at this node` } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a running service', () => {
  test('without deposit and approval is blocked, with the missing amount and the next step', async () => {
    const report = await runtime()
    expect(report).toMatchObject({ status: 'blocked', mode: 'runtime', checked_at: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/) })
    expect(Object.keys(report).sort()).toEqual(['checked_at', 'checks', 'mode', 'status'])
    expect(listed(report)).toEqual([...configChecks, 'private_networks ready', ...fine, 'payment_funding blocked', 'fwss_approval blocked'])
    expect(find(report, 'payment_funding')?.required_usdfc).toMatch(/^[1-9]\d*$/)
    for (const { status, message, action } of report.checks as Check[]) {
      expect(message).not.toBe('')
      if (status !== 'ready') expect(action).toMatch(/\w/)
    }
  })

  test('with the required deposit lacks only the approval, and with both it is ready', async () => {
    const { devnet, privateKey } = network
    await devnet.depositFor(privateKey, BigInt(find(await runtime(), 'payment_funding')?.required_usdfc ?? 0))
    expect(listed(await runtime()).slice(-2)).toEqual(['payment_funding ready', 'fwss_approval blocked'])
    await devnet.approveFwss(privateKey)
    const report = await runtime()
    // This approval is infinite.
    expect(listed(report)).toEqual([...configChecks, 'private_networks ready', ...fine, 'payment_funding ready', 'fwss_approval warning'])
    expect(report.status).toBe('warning')
  })
})

describe('a preflight', () => {
  test('without changes checks the current settings', async () => {
    const { json } = await gateway.call('POST', preflightPath, { json: {} })
    expect(json).toMatchObject({ status: 'warning', mode: 'draft' })
    expect(listed(json)).toEqual(listed(await runtime()))
  })

  test('with private networks forbidden finds no provider here', async () => {
    const report = await preflight({ allow_private_networks: false })
    expect(report.status).toBe('blocked')
    expect(find(report, 'private_networks')).toBeUndefined()
    expect(find(report, 'providers')).toMatchObject({ status: 'blocked', message: expect.stringContaining('0 approved providers') })
  })

  test('with more copies than providers is blocked', async () => {
    expect(find(await preflight({ default_copies: 3 }), 'providers')?.status).toBe('ready')
    const report = await preflight({ default_copies: 4 })
    expect(report.status).toBe('blocked')
    expect(find(report, 'providers')).toMatchObject({ status: 'blocked', message: expect.stringContaining('3 approved providers') })
  })

  test('with a node of another chain checks nothing further', async () => {
    const report = await preflight({ rpc_url: await fakeNode(314_159) })
    expect(report.status).toBe('blocked')
    expect(listed(report)).toEqual([...configChecks, 'private_networks ready', 'network_match blocked'])
    expect(find(report, 'network_match')?.message).toMatch(/314159.*31415926/)
  })

  test('with a node that stops answering reports what is unknown, without an address', async () => {
    const url = `${await fakeNode(31_415_926)}/token-of-the-node`
    const report = await preflight({ rpc_url: url })
    expect(report.partial_errors).toEqual({
      fil_gas_balance: 'RPC failure',
      usdfc_wallet_balance: 'RPC failure',
      usdfc_account: 'RPC failure',
      storage_info: 'RPC failure',
      storage_cost: 'RPC failure',
    })
    const unknown = ['wallet_fil_gas', 'wallet_usdfc', 'payment_account', 'payment_runway', 'providers', 'storage_cost']
    expect(listed(report).slice(6)).toEqual([...unknown, 'payment_funding', 'fwss_approval'].map((id) => `${id} unknown`))
    for (const hidden of ['token-of-the-node', '127.0.0.1', '0xfeed', network.payer]) expect(JSON.stringify(report)).not.toContain(hidden)
  })

  test.each(['http', 'ws'])('with a node that does not answer over %s says so', async (scheme) => {
    const report = await preflight({ rpc_url: `${scheme}://127.0.0.1:9` })
    expect(listed(report)).toEqual([...configChecks, 'sdk_client unknown', 'private_networks ready'])
    expect(report.partial_errors).toEqual({ sdk_client: 'RPC failure' })
  })

  test('with the key of an empty wallet names what is missing; the running service keeps its wallet', async () => {
    saveConfigFile(gateway.configPath, { 'chain.private_key': `0x${'1'.repeat(64)}` })
    try {
      const report = await preflight()
      expect(report.status).toBe('blocked')
      const statuses = ['wallet_fil_gas', 'wallet_usdfc', 'payment_funding', 'fwss_approval'].map((id) => find(report, id)?.status)
      expect(statuses).toEqual(['blocked', 'warning', 'blocked', 'blocked'])
      expect((await runtime()).status).toBe('warning')
    } finally {
      saveConfigFile(gateway.configPath, { 'chain.private_key': network.privateKey })
    }
  })

  test('with an invalid key stops at the settings, and does not quote the key', async () => {
    saveConfigFile(gateway.configPath, { 'chain.private_key': '0xfeedfeedfeed' })
    try {
      const report = await preflight()
      expect(listed(report)).toEqual(['config_private_key blocked', ...configChecks.slice(1)])
      expect(JSON.stringify(report)).not.toContain('feed')
    } finally {
      saveConfigFile(gateway.configPath, { 'chain.private_key': network.privateKey })
    }
  })

  test('saves nothing', async () => {
    const before = (await gateway.call('GET', '/api/v1/settings')).json
    await preflight({ default_copies: 1, observability: { interval: '1m', timeout: '1s', concurrency: 2 }, with_cdn: true })
    expect((await gateway.call('GET', '/api/v1/settings')).json).toEqual(before)
  })

  test.each([
    ['copies out of range', { default_copies: 9 }, 'chain.default_copies'],
    ['a network that is none', { network: 'testnet' }, 'chain.network'],
    ['a network without its other settings', { network: 'mainnet' }, 'chain.devnet_info'],
    ['an address of no chain node', { rpc_url: 'ftp://node' }, 'chain.rpc_url'],
    ['a duration that is none', { observability: { interval: 'soon' } }, 'chain.observability.interval'],
    ['null', { default_copies: null }, 'chain.default_copies'],
    ['a text for a number', { default_copies: '2' }, 'chain.default_copies'],
    ['the wallet key', { private_key: '0x1' }, 'chain.private_key'],
    ['an unknown name', { copies: 2 }, 'chain.copies'],
  ])('with %s is refused at its field', async (_what, chain, field) => {
    const { status, json } = await gateway.call('POST', preflightPath, { json: { chain } })
    expect(status).toBe(400)
    expect(json.fields).toEqual([{ field, message: expect.any(String) }])
  })
})

test('a preflight takes one JSON object with the JSON media type, and no setting that the environment overrides', async () => {
  await using svc = await startServeHere({ env: { SVC_CHAIN_DEFAULT_COPIES: '2' } })
  const managed = await svc.call('POST', preflightPath, { json: { chain: { default_copies: 2 } } })
  expect(managed).toMatchObject({
    status: 400,
    json: { code: 'settings_invalid', fields: [{ field: 'chain.default_copies', message: 'is managed by SVC_CHAIN_DEFAULT_COPIES' }] },
  })
  for (const [body, type] of [
    ['{}', 'text/plain'],
    ['[]', 'application/json'],
    ['', 'application/json'],
    ['{"wallet":{}}', 'application/json'],
    [`{"chain":{"rpc_url":"${'x'.repeat(1_048_576)}"}}`, 'application/json'],
  ] as const) {
    const reply = await svc.call('POST', preflightPath, { body, headers: { 'content-type': type } })
    expect([body.slice(0, 20), reply.status, reply.json.code]).toEqual([body.slice(0, 20), 400, 'invalid_request'])
  }
})
