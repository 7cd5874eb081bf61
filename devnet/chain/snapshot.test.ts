import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'
import type { DevnetContracts } from './deployment.ts'
import { createChainReader } from './rpc.ts'
import { restoreSnapshot, snapshotDir, storeSnapshot } from './snapshot.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

const terms = { network: '1.4', legacyDataSets: 0, provingPeriodEpochs: 20, lockupPeriodEpochs: 86_400 } as const
const contracts: DevnetContracts = {
  ...{ multicall3: '0x1', usdfc: '0x2', filecoinPay: '0x3', serviceProviderRegistry: '0x4' },
  ...{ pdpVerifier: '0x5', warmStorage: '0x6', endorsements: '0x7', sessionKeys: '0x8' },
}
const dumping = (state: string) => async () => `0x${gzipSync(state).toString('hex')}`

test('a new devnet loads the snapshot of its terms, and has its own ports, providers and clock', async () => {
  const own = { ...terms, provingPeriodEpochs: 30, lockupPeriodEpochs: randomInt(1000, 1_000_000) }
  const snapshot = snapshotDir(own)
  expect(existsSync(snapshot)).toBe(false)
  const start = (name: string, providers: number) => startDevnet({ ...own, dir: join(dir, name), providers, isTemporary: true })
  const firstBlock = async ({ rpcUrl }: Devnet) => (await createChainReader(rpcUrl).getBlock({ blockNumber: 1n })).hash
  try {
    await using deployed = await start('deployed', 1)
    expect(existsSync(snapshot)).toBe(true)
    await using loaded = await start('loaded', 2)
    expect(loaded.contracts).toEqual(deployed.contracts)
    expect(await firstBlock(loaded)).toBe(await firstBlock(deployed))
    expect([deployed, loaded].map(({ providers }) => providers.length)).toEqual([1, 2])
    expect(new Set([deployed, loaded].flatMap(({ providers }) => providers.map(({ url }) => url))).size).toBe(3)
    const { timestamp } = await createChainReader(loaded.rpcUrl).getBlock()
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60)
  } finally {
    rmSync(snapshot, { recursive: true, force: true })
  }
})

test('other terms have another snapshot', () => {
  const others = [{ lockupPeriodEpochs: 1 }, { legacyDataSets: 1 }, { network: '1.3' }] as const
  expect(new Set([terms, ...others].map((other) => snapshotDir({ ...terms, ...other }))).size).toBe(4)
})

test('when two processes store a snapshot at the same time, one of the two remains', async () => {
  const parent = join(dir, 'race')
  const snapshot = snapshotDir(terms, parent)
  await Promise.all(['{"a":1}', '{"b":2}'].map((state) => storeSnapshot(snapshot, dumping(state), contracts)))
  expect(readdirSync(parent)).toHaveLength(1)
  expect(restoreSnapshot(snapshot, join(dir, 'chain'))).toEqual(contracts)
  expect(['{"a":1}', '{"b":2}']).toContain(readFileSync(join(dir, 'chain', 'state.json'), 'utf8'))
})

test('a missing snapshot restores nothing', () => {
  expect(restoreSnapshot(join(dir, 'missing'), join(dir, 'empty'))).toBeUndefined()
})

test('at most 20 snapshots are kept', async () => {
  const parent = join(dir, 'many')
  for (let epochs = 1; epochs <= 22; epochs++) {
    await storeSnapshot(snapshotDir({ ...terms, lockupPeriodEpochs: epochs }, parent), dumping('{}'), contracts)
  }
  expect(readdirSync(parent)).toHaveLength(20)
})
