import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultRpcUrl, epochToMs, msToEpoch, resolveNetwork } from './networks.ts'

const address = (digit: number) => `0x${String(digit).repeat(40)}`
const info = {
  version: 1,
  info: {
    start_time: '2026-01-01T00:00:00Z',
    users: [],
    contracts: {
      multicall3_addr: address(1),
      mockusdfc_addr: address(2),
      fwss_service_proxy_addr: address(3),
      pdp_verifier_proxy_addr: address(4),
      service_provider_registry_proxy_addr: address(5),
      filecoin_pay_v1_addr: address(6),
      endorsements_addr: address(7),
      session_key_registry_addr: address(8),
    },
    lotus: { host_rpc_url: 'http://127.0.0.1:8545' },
  },
}
let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-networks-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function saved(content: unknown): Promise<string> {
  const path = join(directory, `${Math.random()}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

// Published deployments of the networks.
const published = {
  mainnet: {
    chainId: 314,
    genesisTimestamp: 1598306400,
    contracts: {
      fwss: '0x8408502033C418E1bbC97cE9ac48E5528F371A9f',
      pdpVerifier: '0xBADd0B92C1c71d02E7d520f64c0876538fa2557F',
      filecoinPay: '0x23b1e018F08BB982348b15a86ee926eEBf7F4DAa',
      usdfc: '0x80B98d3aa09ffff255c3ba4A241111Ff1262F045',
    },
  },
  calibration: {
    chainId: 314159,
    genesisTimestamp: 1667326380,
    contracts: {
      fwss: '0x02925630df557F957f70E112bA06e50965417CA0',
      pdpVerifier: '0x85e366Cf9DD2c0aE37E963d9556F5f4718d6417C',
      filecoinPay: '0x09a0fDc2723fAd1A7b8e3e00eE5DF73841df55a0',
      usdfc: '0xb3042734b608a1B16e9e86B374A3f3e389B4cDf0',
    },
  },
}

test.each(['mainnet', 'calibration'] as const)('%s has the published contracts', async (name) => {
  const network = await resolveNetwork({ network: name })
  expect(network).toMatchObject({ name, epochSeconds: 30, confirmationsDefault: 5, ...published[name] })
  expect(network.rpcUrl).toMatch(/^https:/)
})

test('the operator’s RPC replaces the public one', async () => {
  expect(await resolveNetwork({ network: 'mainnet', rpcUrl: 'wss://node.example/rpc' })).toMatchObject({ rpcUrl: 'wss://node.example/rpc' })
})

test('a devnet is resolved from its file', async () => {
  const network = await resolveNetwork({ network: 'devnet', devnetInfoPath: await saved(info) })
  expect(network).toMatchObject({
    name: 'devnet',
    chainId: 31415926,
    rpcUrl: 'http://127.0.0.1:8545',
    epochSeconds: 1,
    confirmationsDefault: 1,
    genesisTimestamp: 1767225600,
    contracts: { usdfc: address(2), fwss: address(3), registry: address(5), multicall3: address(1) },
  })
})

test.each([
  [
    { block_time_seconds: 4, genesis_timestamp: 12 },
    { epochSeconds: 4, genesisTimestamp: 12 },
  ],
  [
    { block_time_seconds: 0.5, genesis_timestamp: 1767225599.5 },
    { epochSeconds: 0.5, genesisTimestamp: 1767225599.5 },
  ],
  [{ block_time_seconds: 0 }, { epochSeconds: 1 }],
])('a devnet file with the times %o gives %o', async (extra, expected) => {
  const devnetInfoPath = await saved({ ...info, info: { ...info.info, ...extra } })
  expect(await resolveNetwork({ network: 'devnet', devnetInfoPath })).toMatchObject(expected)
})

test.each([
  [{ network: 'devnet' }, 'chain.devnet_info'],
  [{ network: 'devnet', devnetInfoPath: '/nonexistent.json' }, '/nonexistent.json'],
  [{ network: 'mainnet', devnetInfoPath: '/some.json' }, 'remove one of them'],
  [{ network: 'mainnet', rpcUrl: 'ftp://x' }, 'chain.rpc_url'],
  [{ network: 'mainnet', rpcUrl: 'nonsense' }, 'chain.rpc_url'],
] as const)('%j is rejected with a message that names the setting', async (choice, part) => {
  await expect(resolveNetwork(choice)).rejects.toThrow(part)
})

test.each([
  ['not json', 'cannot read'],
  [{}, 'not a valid devnet-info.json'],
  [{ ...info, info: { ...info.info, contracts: { ...info.info.contracts, fwss_service_proxy_addr: '0x12' } } }, 'fwss_service_proxy_addr'],
])('a malformed devnet file %# is rejected', async (content, part) => {
  await expect(resolveNetwork({ network: 'devnet', devnetInfoPath: await saved(content) })).rejects.toThrow(part)
})

test('the default node follows from the network, and that of a devnet from its file', async () => {
  const of = (network: string, path?: string) =>
    defaultRpcUrl(new Map(Object.entries({ 'chain.network': network, 'chain.devnet_info': path })))
  expect(await of('calibration')).toBe('https://api.calibration.node.glif.io/rpc/v1')
  expect(await of('mainnet')).toBe('https://api.node.glif.io/rpc/v1')
  expect(await of('devnet', await saved(info))).toBe('http://127.0.0.1:8545')
  expect([await of('devnet'), await of('devnet', '/missing.json'), await of('devnet', await saved('{'))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('epochs and times convert both ways', () => {
  const network = { genesisTimestamp: 1000, epochSeconds: 30 }
  expect(epochToMs(network, 2n)).toBe(1_060_000)
  expect([1_059_999, 1_060_000, 1_089_999, 0].map((ms) => msToEpoch(network, ms))).toEqual([1n, 2n, 2n, 0n])
})
