import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createOutput } from '#kernel'
import { chooseNetwork, hostOf } from './command-chain.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-choose-'))
afterAll(() => rmSync(dir, { recursive: true }))

const out = createOutput({ isJson: false, stdout: { write: () => true }, stderr: { write: () => true } })
const empty = join(dir, 'none.toml')
const mainnet = join(dir, 'mainnet.toml')
const devnet = join(dir, 'devnet.toml')
writeFileSync(mainnet, '[chain]\nnetwork = "mainnet"\nrpc_url = "https://mine.example/rpc"\n')
writeFileSync(devnet, '[chain]\nnetwork = "devnet"\ndevnet_info = "/d.json"\n')
const node = 'https://env.example/rpc'

test.each([
  ['nothing is configured', { config: empty }, {}, ['calibration', undefined]],
  ['the file decides both', { config: mainnet }, {}, ['mainnet', 'https://mine.example/rpc']],
  ['a flag for the network leaves the file’s node out', { config: mainnet, network: 'calibration' }, {}, ['calibration', undefined]],
  ['so does a variable', { config: mainnet }, { SVC_CHAIN_NETWORK: 'calibration' }, ['calibration', undefined]],
  ['even when it says the same', { config: mainnet, network: 'mainnet' }, {}, ['mainnet', undefined]],
  [
    'a flag for the network wins over the variable',
    { config: empty, network: 'mainnet' },
    { SVC_CHAIN_NETWORK: 'calibration' },
    ['mainnet', undefined],
  ],
  [
    'a node of the variable is always used',
    { config: mainnet, network: 'calibration' },
    { SVC_CHAIN_RPC_URL: node },
    ['calibration', node],
  ],
  [
    'a node of the flag wins over the variable',
    { config: mainnet, rpcUrl: 'https://a.example' },
    { SVC_CHAIN_RPC_URL: node },
    ['mainnet', 'https://a.example'],
  ],
])('%s', (_name, flags, env, [network, rpcUrl]) => {
  expect(chooseNetwork({ parameters: {}, flags, env, out })).toEqual({ network, rpcUrl, devnetInfoPath: undefined })
})

test('the description of a devnet is used for a devnet only', () => {
  const choose = (flags: Record<string, unknown>) => chooseNetwork({ parameters: {}, flags: { config: devnet, ...flags }, env: {}, out })
  expect(choose({})).toEqual({ network: 'devnet', rpcUrl: undefined, devnetInfoPath: '/d.json' })
  expect(choose({ network: 'mainnet' })).toEqual({ network: 'mainnet', rpcUrl: undefined, devnetInfoPath: undefined })
})

test('of a node only scheme and host are shown', () => {
  expect(hostOf('https://user:pass@node.example:8545/rpc/v1?token=abc')).toBe('https://node.example:8545')
})
