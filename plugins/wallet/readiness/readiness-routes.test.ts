/** Readiness over real HTTP, with a local chain and with faulty nodes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { promised, type TestKernel, testKernel } from '#kernel/testing'
import { type SvcHome, svcHome } from '../../../cli/testing/run-svc.ts'
import { type Devnet, startDevnet } from '../../../devnet/devnet.ts'
import { observabilityPlugin } from '../../observability/plugin.ts'
import { providersPlugin } from '../../providers/plugin.ts'
import { openChain } from '../chain/clients.ts'
import { resolveNetwork } from '../chain/networks.ts'
import { walletSetup } from '../contract.ts'
import { walletPlugin } from '../plugin.ts'
import { testSpending } from '../testing/test-spending.ts'
import { ownerOf, readReadiness } from './read-readiness.ts'
import { chainPreflight, chainReadiness } from './readiness-api.ts'

const token = 10n ** 18n
const stack = new AsyncDisposableStack()
let home: SvcHome
let devnet: Devnet

beforeAll(async () => {
  home = stack.use(svcHome())
  devnet = stack.use(await startDevnet({ dir: join(home.dir, 'devnet'), providers: 3 }))
})
afterAll(() => stack.disposeAsync())

const keyOf = (position: number): `0x${string}` => {
  const user = devnet.users[position]
  if (!user) throw new Error(`the devnet has no user ${position}`)
  return user.privateKey
}

async function start(config: Readonly<Record<string, string | number | boolean>>, env: Readonly<Record<string, string>> = {}) {
  const svc = await testKernel({ plugins: [walletPlugin, providersPlugin, observabilityPlugin], config, env })
  onTestFinished(() => svc.stop())
  return svc
}

const onDevnet = () => ({ 'chain.network': 'devnet', 'chain.devnet_info': devnet.infoPath, 'chain.allow_private_networks': true })
const preflight = (svc: TestKernel, chain: object = {}) => svc.call('POST', '/api/v1/chain/readiness/preflight', { chain })

async function readNow(svc: TestKernel) {
  const { status, mode, checks, partial_errors } = promised(chainReadiness, await svc.call('GET', '/api/v1/chain/readiness'))
  expect(mode).toBe('runtime')
  return { status, partial_errors, by: Object.fromEntries(checks.map((check) => [check.id, check])) }
}

const idsOf = (answer: Awaited<ReturnType<typeof preflight>>, status: string) =>
  promised(chainPreflight, answer).checks.flatMap((check) => (check.status === status ? check.id : []))

test('a wallet is blocked until it has deposited and approved the service, then ready', async () => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(0) })
  const before = await readNow(svc)
  expect(before.status).toBe('blocked')
  expect(before.by.payment_funding).toMatchObject({ status: 'blocked', required_usdfc: expect.stringMatching(/^[1-9]\d*$/) })
  expect(before.by.fwss_approval).toMatchObject({ status: 'blocked', action: 'Run svc wallet approve.' })
  expect(before.by.providers).toMatchObject({ status: 'ready', message: '3 approved providers are usable; the default is 3 copies.' })
  await devnet.depositFor(keyOf(0), 50n * token)
  await devnet.approveFwss(keyOf(0))
  expect((await readNow(svc)).by.fwss_approval).toMatchObject({
    status: 'warning',
    action: expect.stringMatching(/^Run svc wallet approve to lower it to the settings/),
  })
  await svc.kernel.get(walletSetup).ensureFunded({ deposit: 0n })
  const after = await readNow(svc)
  expect(after).toMatchObject({ status: 'ready', partial_errors: undefined })
})

test('unsaved settings are checked together with saved ones, and change nothing', async () => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1), 'chain.default_copies': 2 })
  const same = promised(chainPreflight, await preflight(svc))
  expect(same).toMatchObject({ mode: 'draft', checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) })
  const more = promised(chainPreflight, await preflight(svc, { default_copies: 4, allow_private_networks: false }))
  const providers = (checks: typeof more.checks) => checks.find(({ id }) => id === 'providers')
  expect(providers(same.checks)).toMatchObject({ status: 'ready' })
  expect(providers(more.checks)).toMatchObject({ status: 'blocked', message: '0 approved providers are usable; the default is 4 copies.' })
  expect((await readNow(svc)).by.providers).toMatchObject({ message: '3 approved providers are usable; the default is 2 copies.' })
})

test('the deposit that a draft needs includes the CDN lockup', async () => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1), 'chain.default_copies': 2 })
  const required = async (chain: object) => {
    const { checks } = promised(chainPreflight, await preflight(svc, chain))
    return BigInt(checks.find(({ id }) => id === 'payment_funding')?.required_usdfc ?? 0)
  }
  expect((await required({ with_cdn: true })) - (await required({ with_cdn: false }))).toBe(2n * token)
})

test('in setup mode drafts are checked without services, and runtime readiness is unavailable', async () => {
  const svc = await start(onDevnet())
  expect(svc.kernel.mode).toBe('setup')
  const answer = await preflight(svc)
  expect(idsOf(answer, 'blocked')).toEqual(['config_private_key'])
  expect(promised(chainPreflight, answer).checks).toHaveLength(4)
  expect(await svc.call('GET', '/api/v1/chain/readiness')).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
})

test('in setup mode a draft that completes the settings is checked on chain', async () => {
  // Another setting keeps the service in setup mode.
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1), 'chain.default_copies': 9 })
  expect(svc.kernel.mode).toBe('setup')
  expect(idsOf(await preflight(svc), 'blocked')).toEqual(['config_default_copies'])
  const mended = promised(chainPreflight, await preflight(svc, { default_copies: 2 }))
  expect(mended.checks.find(({ id }) => id === 'network_match')).toMatchObject({ status: 'ready' })
})

test.each<readonly [name: string, chain: object, field: string]>([
  ['too many copies', { default_copies: 9 }, 'chain.default_copies'],
  ['a fraction of a copy', { default_copies: 1.5 }, 'chain.default_copies'],
  ['an unknown network', { network: 'filecoin' }, 'chain.network'],
  ['another scheme', { rpc_url: 'ftp://node' }, 'chain.rpc_url'],
  ['a malformed duration', { observability: { interval: 'soon' } }, 'chain.observability.interval'],
  ['a setting that the environment overrides', { with_cdn: true }, 'chain.with_cdn'],
  ['a wrong type', { default_copies: '3' }, 'chain.default_copies'],
  ['an unknown setting', { private_key: 'x' }, 'chain.private_key'],
])('a draft with %s is rejected with its field', async (_name, chain, field) => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1) }, { SVC_CHAIN_WITH_CDN: 'false' })
  const refused = await preflight(svc, chain)
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({ error: expect.any(String), fields: [{ field, message: expect.any(String) }] })
})

test.each([
  ['text/plain', '{}'],
  ['application/json', '[]'],
  ['application/json', '{"chain":3}'],
  ['application/json', '{"chain":{}} more'],
])('a body of %s with %s is rejected', async (type, body) => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1) })
  const init = { method: 'POST', headers: { 'content-type': type }, body }
  expect((await svc.fetch('/api/v1/chain/readiness/preflight', init)).status).toBe(400)
})

/** A node with scripted answers; undefined: no answer. Resolves with its URL, which contains a token. */
async function startNode(answer: (id: number) => object | undefined): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const result = answer(JSON.parse(text).id)
    if (result) response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc/a-token`
}

test('a node of another network is reported and not read further', async () => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1) })
  const rpc_url = await startNode((id) => ({ jsonrpc: '2.0', id, result: '0x1' }))
  const answer = await preflight(svc, { rpc_url })
  expect(idsOf(answer, 'blocked')).toEqual(['network_match'])
  expect(promised(chainPreflight, answer).checks.at(-1)?.message).toMatch(/serves chain 1; the configured network is chain 31415926/)
})

test('I-10: responses contain neither the address of an unreachable node nor the key', async () => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1) })
  const rpc_url = await startNode((id) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'no a-token here' } }))
  const answer = await preflight(svc, { rpc_url })
  expect(promised(chainPreflight, answer)).toMatchObject({ status: 'unknown', partial_errors: { sdk_client: 'RPC failure' } })
  expect(idsOf(answer, 'unknown')).toEqual(['sdk_client'])
  expect(JSON.stringify(answer.body)).not.toContain('a-token')
  expect(JSON.stringify(answer.body)).not.toContain(keyOf(1).slice(2))
})

test.each(['http', 'ws'])('without a listening %s node the response says so and contains no address', async (scheme) => {
  const svc = await start({ ...onDevnet(), 'chain.private_key': keyOf(1) })
  const answer = await preflight(svc, { rpc_url: `${scheme}://127.0.0.1:9/a-token` })
  expect(promised(chainPreflight, answer).partial_errors).toEqual({ sdk_client: expect.stringMatching(/^(RPC failure|timeout)$/) })
  expect(JSON.stringify(answer.body)).not.toContain('a-token')
})

test('a node that never answers delays the check by at most the timeout', async () => {
  const rpcUrl = await startNode(() => undefined)
  const chain = openChain({ network: await resolveNetwork({ network: 'devnet', devnetInfoPath: devnet.infoPath, rpcUrl }) })
  const deps = {
    chain,
    owner: ownerOf(keyOf(1)),
    defaultCopies: 3,
    allowPrivateNetworks: true,
    withCdn: false,
    ...testSpending,
    usableProviders: undefined,
    limitMs: 50,
  }
  expect(await readReadiness(deps)).toEqual({ kind: 'unreachable', because: 'timeout' })
})
