/** Payments of the wallet by commands and by the service: processes that are killed, and that pay at the same time. */
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DeleteBucketCommand, DeleteObjectCommand } from '@aws-sdk/client-s3'
import { createPublicClient, http, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Devnet } from '../../devnet/devnet.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { readRows } from '../fixtures/gateways/gateway-database.ts'
import { stageBucket as Bucket, restartStage, startProcessStage } from '../fixtures/gateways/stage.ts'
import { startLyingNode } from '../fixtures/lying-node.ts'
import { until } from '../fixtures/until.ts'

const program = fileURLToPath(new URL('../../cli/svc.js', import.meta.url))
const killAtProbe = fileURLToPath(new URL('../fixtures/kill-at-probe.mjs', import.meta.url))
const payAbi = parseAbi(['function accounts(address token, address owner) view returns (uint256, uint256, uint256, uint256)'])

let network: FundedDevnet
beforeAll(async () => {
  network = await startFundedDevnet({ isFunded: false, providers: 1 })
})
afterAll(() => network?.[Symbol.asyncDispose]())

/** `svc` as a process. With a probe it kills itself there. */
async function svc(
  dir: string,
  line: string,
  { env = {}, killAt = '' }: { readonly env?: Record<string, string>; readonly killAt?: string } = {},
) {
  const killAtFile = join(mkdtempSync(join(dir, 'kill-')), 'at')
  writeFileSync(killAtFile, killAt)
  const child = spawn(process.execPath, ['--import', killAtProbe, program, ...line.split(' ')], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SVC_TEST_KILL_AT_FILE: killAtFile,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  return { ...end, ...text }
}

/** What the chain has of a wallet: its transactions, and its deposit in USDFC. */
async function paid({ rpcUrl, contracts }: Devnet, address: `0x${string}`) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const [transactions, [funds]] = await Promise.all([
    client.getTransactionCount({ address }),
    client.readContract({ address: contracts.filecoinPay, abi: payAbi, functionName: 'accounts', args: [contracts.usdfc, address] }),
  ])
  return { transactions, funds }
}

async function newWallet() {
  const { devnet } = network
  const { address, privateKey } = await devnet.createWallet()
  const env = { SVC_CHAIN_NETWORK: 'devnet', SVC_CHAIN_DEVNET_INFO: devnet.infoPath, SVC_CHAIN_PRIVATE_KEY: privateKey }
  return { dir: network.makeDir('wallet'), env, paid: () => paid(devnet, address) }
}

test.concurrent.for(['claimed', 'signed', 'recorded', 'sent', 'decided'])(
  'I-04 I-05: svc wallet deposit killed at %s and run again pays once',
  { timeout: 300_000 },
  async (point) => {
    const wallet = await newWallet()
    const deposit = (killAt = '') => svc(wallet.dir, 'wallet deposit 3', { env: wallet.env, killAt })
    expect(await deposit(`wallet.operation.${point}`)).toMatchObject({ signal: 'SIGKILL' })
    const again = await deposit()
    // Nothing is recorded before the signature.
    if (point === 'claimed') expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Status: confirmed') })
    else
      expect(again).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/the deposit of 3 USDFC of an earlier command is confirmed/),
      })
    expect(await wallet.paid()).toEqual({ transactions: 1, funds: parseEther('3') })
    expect(await deposit()).toMatchObject({ code: 0 })
    expect(await wallet.paid()).toEqual({ transactions: 2, funds: parseEther('6') })
  },
)

test.concurrent('I-05: a deposit whose answer is lost is decided by the chain', { timeout: 300_000 }, async () => {
  const wallet = await newWallet()
  await using node = await startLyingNode(network.devnet.rpcUrl, { loses: ({ method }) => method === 'eth_sendRawTransaction' })
  const { code, stdout } = await svc(wallet.dir, 'wallet deposit 3', { env: { ...wallet.env, SVC_CHAIN_RPC_URL: node.url } })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Status: confirmed\n$/) })
  expect(await wallet.paid()).toEqual({ transactions: 1, funds: parseEther('3') })
})

test.concurrent('I-50: deposits of several processes at the same time never share a nonce', { timeout: 300_000 }, async () => {
  const wallet = await newWallet()
  const runs = await Promise.all([3, 3, 3].map((amount) => svc(wallet.dir, `wallet deposit ${amount}`, { env: wallet.env })))
  const confirmed = runs.filter(({ code }) => code === 0).length
  for (const { code, stderr } of runs)
    if (code !== 0)
      expect(stderr).toMatch(/^fatal: the deposit of 3 USDFC of an earlier command is confirmed \(transaction 0x\w+\); nothing more/m)
  expect(confirmed).toBeGreaterThan(0)
  expect(await wallet.paid()).toEqual({ transactions: confirmed, funds: parseEther(String(3 * confirmed)) })
})

/** Operations that the database of the service records. */
const operations = (dir: string) =>
  readRows<{ type: string; status: string; nonce: number }>(
    dir,
    'select type, status, chain_nonce as nonce from wallet_operations order by id',
  )

test('I-50: a killed deposit, the termination of a running service and further deposits each land once', { timeout: 600_000 }, async () => {
  await using stage = await startProcessStage({ providers: 1, copies: 1, blockTimeSeconds: 1, killAt: '' })
  const { devnet, payer } = stage.network
  const config = ` --config ${stage.gateway.configPath}`
  devnet.providers[0]?.faults.add({ kind: 'answer', status: 503, routes: ['terminate'] })
  const object = await stage.put()
  await stage.stored(object)
  const before = await paid(devnet, payer)
  // The command is killed after the transaction was recorded, and before it is sent: only the service knows of it now.
  expect(await svc(stage.dir, `wallet deposit 1${config}`, { killAt: 'wallet.operation.recorded' })).toMatchObject({ signal: 'SIGKILL' })
  stage.gateway.killAt('wallet.operation.recorded')
  await stage.s3.send(new DeleteObjectCommand({ Bucket, Key: object.key, VersionId: object.versionId }))
  await stage.s3.send(new DeleteBucketCommand({ Bucket }))
  expect(await stage.gateway.ended).toBe('SIGKILL')
  const [left] = operations(stage.dir).filter(({ type }) => type === 'terminate')
  expect(left?.status).toBe('submitted')
  await using _restarted = await restartStage(stage, { killAt: '' })
  const [deposit] = await Promise.all([
    svc(stage.dir, `wallet deposit 2${config} --timeout 2m`),
    until(
      'the termination is final',
      async () => operations(stage.dir).find(({ type, status }) => type === 'terminate' && status === 'confirmed'),
      {
        withinMs: 240_000,
      },
    ),
  ])
  expect(deposit).toMatchObject({ code: 0, stdout: expect.stringContaining('Status: confirmed') })
  const isFinal = ({ type, status }: { readonly type: string; readonly status: string }) => type !== 'fund' || status === 'confirmed'
  await until('the deposit that was taken over is final', async () => operations(stage.dir).every(isFinal) || undefined, {
    withinMs: 240_000,
  })
  const recorded = operations(stage.dir)
  // The service takes over the second deposit too when it looks at the slot before the command saw the deposit confirmed.
  const deposits = recorded.filter(({ type }) => type === 'fund')
  expect([1, 2]).toContain(deposits.length)
  expect(new Set(deposits.map(({ status }) => status))).toEqual(new Set(['confirmed']))
  expect(new Set(recorded.map(({ nonce }) => nonce)).size).toBe(recorded.length)
  const after = await paid(devnet, payer)
  expect(after.transactions - before.transactions).toBe(3)
})
