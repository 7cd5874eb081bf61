/** The wallet commands through the svc program, against a local chain. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SvcHome, svcHome } from '../../../cli/testing/run-svc.ts'
import { providerAccount } from '../../../devnet/chain/accounts.ts'
import { type Devnet, startDevnet } from '../../../devnet/devnet.ts'
import { type Chain, openAccount, openChain } from '../chain/clients.ts'
import { resolveNetwork } from '../chain/networks.ts'
import { readFunding } from '../chain/payment-account.ts'
import { broadcast, lookUp, planCall, signTransaction } from '../chain/transactions.ts'
import { testSpending } from '../testing/test-spending.ts'

const stack = new AsyncDisposableStack()
let devnet: Devnet
let chain: Chain
let home: SvcHome

beforeAll(async () => {
  home = stack.use(svcHome())
  // The devnet mines by itself, so that transactions become final.
  devnet = stack.use(await startDevnet({ dir: join(home.dir, 'devnet'), providers: 4, blockTimeSeconds: 0.5 }))
  chain = openChain({ network: await resolveNetwork({ network: 'devnet', devnetInfoPath: devnet.infoPath }) })
  stack.defer(() => chain.close())
})
afterAll(() => stack.disposeAsync())

const [rich, poor] = [0, 1].map((position) => () => {
  const user = devnet.users[position]
  if (!user) throw new Error(`the devnet has no user ${position + 1}`)
  return user
}) as [() => Devnet['users'][number], () => Devnet['users'][number]]

const svc = (line: string, env: Readonly<Record<string, string>> = {}) =>
  home.run(line.split(' '), {
    SVC_CHAIN_NETWORK: 'devnet',
    SVC_CHAIN_DEVNET_INFO: devnet.infoPath,
    SVC_CHAIN_PRIVATE_KEY: rich().privateKey,
    SVC_CHAIN_ALLOW_PRIVATE_NETWORKS: 'true',
    ...env,
  })

const funding = async () => {
  const { account, approvalState } = await readFunding(chain, openAccount(rich().privateKey).address)
  return { funds: account.funds, isApproved: approvalState.approved }
}

test('a devnet with another block time has its epoch length and genesis', async () => {
  expect(chain.network).toMatchObject({ epochSeconds: 0.5, genesisTimestamp: devnet.info.info.genesis_timestamp })
})

test('a generated wallet is printed with its matching key', async () => {
  const [text, json] = await Promise.all([home.run(['wallet', 'generate']), home.run(['wallet', 'generate', '--json'])])
  const [, address, key = ''] = /^Address: (0x[0-9a-fA-F]{40})\nPrivate key: (0x[0-9a-f]{64})\n$/.exec(text.stdout) ?? []
  expect(openAccount(key).address).toBe(address)
  const parsed = JSON.parse(json.stdout)
  expect(Object.keys(parsed)).toEqual(['address', 'private_key'])
  expect(openAccount(parsed.private_key).address).toBe(parsed.address)
  expect(parsed.private_key).not.toBe(key)
})

test('a first deposit approves the service, a second one only deposits', async () => {
  const first = await svc('wallet deposit 5')
  expect(first.code).toBe(0)
  expect(first.stdout).toMatch(/^Transaction: 0x[0-9a-f]{64}\nStatus: confirmed\n$/)
  // The hash is printed before the transaction is sent.
  expect(first.stderr).toContain(`Sending transaction ${/0x\w+/.exec(first.stdout)?.[0]}`)
  expect(await funding()).toEqual({ funds: parseEther('5'), isApproved: true })
  const second = await svc('wallet deposit 0.25 --json')
  expect(JSON.parse(second.stdout)).toEqual({ tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/), confirmed: true })
  expect(await funding()).toEqual({ funds: parseEther('5.25'), isApproved: true })
})

test('a second approval sends nothing', async () => {
  const key = { SVC_CHAIN_PRIVATE_KEY: poor().privateKey }
  expect((await svc('wallet approve', key)).stdout).toMatch(/^Transaction: 0x[0-9a-f]{64}\nStatus: confirmed\n$/)
  expect(await svc('wallet approve', key)).toEqual({ code: 0, stdout: 'FWSS approval: already approved\n', stderr: '' })
  expect(JSON.parse((await svc('wallet approve --json', key)).stdout)).toEqual({ confirmed: true, already_approved: true })
})

test('a transaction that is not final before the timeout is named, with exit code 1', async () => {
  const { code, stdout, stderr } = await svc('wallet deposit 1 --timeout 1ms')
  expect(code).toBe(1)
  const [, hash] = /^Transaction: (0x[0-9a-f]{64})\nStatus: submitted\n$/.exec(stdout) ?? []
  expect(stderr).toContain(`fatal: transaction ${hash} is not final after 1ms`)
  await expect.poll(async () => (await funding()).funds, { timeout: 10_000 }).toBe(parseEther('6.25'))
  // The same command again shows the outcome, and pays nothing.
  const again = await svc('wallet deposit 1')
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain(`the deposit of 1 USDFC of an earlier command is confirmed (transaction ${hash}); nothing more was sent`)
  expect((await funding()).funds).toBe(parseEther('6.25'))
})

test.concurrent.each([
  ['wallet deposit 0', {}, 2, 'the amount must be more than 0, got "0"'],
  ['wallet deposit 1e3', {}, 2, 'the amount must be a decimal number of USDFC such as 5 or 0.25, got "1e3"'],
  ['wallet deposit', {}, 2, 'svc wallet deposit needs <amount>'],
  ['wallet deposit 1000000', {}, 1, 'USDFC, less than the 1000000 to deposit'],
  [
    'wallet deposit 1',
    { SVC_CHAIN_PRIVATE_KEY: '' },
    1,
    'chain.private_key is required: private key of the wallet that pays. Run `svc wallet generate`',
  ],
  ['wallet approve', { SVC_CHAIN_PRIVATE_KEY: '11'.repeat(32) }, 1, 'has no FIL for the transaction fee'],
  [
    'wallet approve',
    { SVC_CHAIN_RPC_URL: 'http://127.0.0.1:9/secret-token' },
    1,
    'no answer from the chain node http://127.0.0.1:9 (fetch failed); check chain.rpc_url, or set SVC_CHAIN_RPC_URL',
  ],
  ['provider list', { SVC_CHAIN_DEVNET_INFO: '/nowhere.json' }, 1, '/nowhere.json'],
  ['provider list --network ropsten', {}, 2, '--network must be one of calibration, mainnet, devnet, got "ropsten"'],
])('svc %s is rejected and nothing is sent', async (line, env, code, message) => {
  const before = await funding()
  const refused = await svc(line, env)
  expect(refused).toMatchObject({ code, stdout: '' })
  expect(refused.stderr).toMatch(/^fatal: .*\n$/)
  expect(refused.stderr).toContain(message)
  expect(refused.stderr).not.toContain('secret-token')
  expect(await funding()).toEqual(before)
})

test('a node of another network is rejected before any other read', async () => {
  const { code, stderr } = await svc(`provider list --network calibration --rpc-url ${devnet.rpcUrl}`)
  expect(code).toBe(1)
  expect(stderr).toBe(
    `fatal: the node at ${devnet.rpcUrl} serves chain 31415926, but calibration is chain 314159; check chain.rpc_url and chain.network\n`,
  )
})

interface Item {
  readonly id: string
  readonly active: boolean
  readonly has_pdp: boolean
  readonly health_status: string
}

const listed = async (flags = ''): Promise<readonly Item[]> => JSON.parse((await svc(`provider list --json${flags}`)).stdout)

test('providers are listed with their offer and health', async () => {
  const [first] = await listed()
  expect(first).toEqual({
    id: '1',
    name: expect.any(String),
    description: expect.any(String),
    active: true,
    address: devnet.providers[0]?.address,
    has_pdp: true,
    service_url: devnet.providers[0]?.url,
    min_piece_size: '1048576',
    max_piece_size: expect.stringMatching(/^\d+$/),
    storage_price: expect.stringMatching(/^\d+$/),
    location: 'C=XX;ST=Local;L=Devnet',
    health_status: 'reachable',
  })
})

test('a stopped, a withdrawn and a private provider are shown differently', async () => {
  await devnet.providers[1]?.stop()
  await callRegistry(3, 'removeProduct', [0])
  await callRegistry(4, 'removeProvider', [])
  const { code, stdout, stderr } = await svc('provider list --timeout 2s')
  expect(code).toBe(0)
  const [header, ...lines] = stdout.split('\n')
  expect(header).toMatch(/^ID +NAME +ACTIVE +SERVICE URL +LOCATION +HEALTH +MIN PIECE +MAX PIECE$/)
  expect(lines[0]).toMatch(/^1 .* ✓ .* reachable +1(\.0)? MiB +64(\.0)? GiB$/)
  expect(lines[1]).toMatch(/^2 .* ✓ .* unreachable +1(\.0)? MiB/)
  expect(lines[2]).toMatch(/^3 .* ✓ +— +— +n\/a +— +—$/)
  expect(lines[3]).toMatch(/^4 .* ✗ +— +— +n\/a +— +—$/)
  expect(lines.slice(4)).toEqual(['', 'Total: 4 providers (2 with PDP, 1 reachable)', ''])
  expect(stderr).toBe(`Reading the providers of devnet from ${devnet.rpcUrl}\nChecking the health of 4 providers\n`)
  expect((await listed(' --active')).map(({ id }) => id)).toEqual(['1', '2', '3'])
  const unchecked = await svc('provider list --no-health --active')
  expect(unchecked.stdout).toContain('Total: 3 providers (2 with PDP, health skipped)')
  expect(unchecked.stderr).not.toContain('Checking')
  // I-13: without the setting, private addresses get no request.
  const guarded = await svc('provider list --json', { SVC_CHAIN_ALLOW_PRIVATE_NETWORKS: 'false' })
  expect((JSON.parse(guarded.stdout) as readonly Item[])[0]).toMatchObject({ id: '1', health_status: 'unreachable' })
})

test('provider list works with a configuration file and without a wallet key', async () => {
  const config = join(home.dir, 'c.toml')
  writeFileSync(config, `[chain]\nnetwork = "devnet"\ndevnet_info = ${JSON.stringify(devnet.infoPath)}\n`)
  const { code, stdout } = await home.run(['provider', 'list', '--no-health', '-c', config])
  expect(code).toBe(0)
  expect(stdout).toContain('health skipped')
})

async function callRegistry(providerId: number, functionName: string, args: readonly unknown[]): Promise<void> {
  const account = openAccount(providerAccount(providerId).privateKey)
  const abi = parseAbi(['function removeProduct(uint8 productType)', 'function removeProvider()'])
  const call = planCall({ what: functionName, to: chain.network.contracts.registry, abi, functionName, args })
  const signed = await signTransaction({ chain, account, call, limits: testSpending.fees })
  await broadcast(chain, signed.raw)
  await expect.poll(async () => (await lookUp(chain, account.address, signed)).state, { timeout: 10_000 }).toBe('confirmed')
}
