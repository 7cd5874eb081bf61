import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createOutput } from '#cli/testing'
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
  ['without configuration, the default is used', { config: empty }, {}, ['calibration', undefined]],
  ['the file sets both', { config: mainnet }, {}, ['mainnet', 'https://mine.example/rpc']],
  ['a network flag ignores the node of the file', { config: mainnet, network: 'calibration' }, {}, ['calibration', undefined]],
  [
    'a network variable ignores the node of the file',
    { config: mainnet },
    { SVC_CHAIN_NETWORK: 'calibration' },
    ['calibration', undefined],
  ],
  [
    'a network flag ignores the node of the file even for the same network',
    { config: mainnet, network: 'mainnet' },
    {},
    ['mainnet', undefined],
  ],
  [
    'a network flag overrides the variable',
    { config: empty, network: 'mainnet' },
    { SVC_CHAIN_NETWORK: 'calibration' },
    ['mainnet', undefined],
  ],
  ['a node variable is always used', { config: mainnet, network: 'calibration' }, { SVC_CHAIN_RPC_URL: node }, ['calibration', node]],
  [
    'a node flag overrides the variable',
    { config: mainnet, rpcUrl: 'https://a.example' },
    { SVC_CHAIN_RPC_URL: node },
    ['mainnet', 'https://a.example'],
  ],
] as const)('%s', (_name, flags, env, [network, rpcUrl]) => {
  expect(chooseNetwork({ parameters: {}, flags, env, out })).toEqual({ network, rpcUrl, devnetInfoPath: undefined })
})

test('devnet_info is used only for a devnet', () => {
  const choose = (flags: Record<string, unknown>) => chooseNetwork({ parameters: {}, flags: { config: devnet, ...flags }, env: {}, out })
  expect(choose({})).toEqual({ network: 'devnet', rpcUrl: undefined, devnetInfoPath: '/d.json' })
  expect(choose({ network: 'mainnet' })).toEqual({ network: 'mainnet', rpcUrl: undefined, devnetInfoPath: undefined })
})

test('only scheme and host of a node URL are shown', () => {
  expect(hostOf('https://user:pass@node.example:8545/rpc/v1?token=abc')).toBe('https://node.example:8545')
})
