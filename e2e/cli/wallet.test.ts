/** `svc wallet …` and `svc provider list` with real transactions on the chain of `svc dev`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'

let dev: DevProcess
beforeAll(async () => {
  dev = await startDev()
})
afterAll(() => dev?.[Symbol.asyncDispose]())

async function svc(...words: string[]) {
  using home = svcHome()
  return await home.run([...words, '--config', dev.ready.config])
}

test('deposit prints its transaction and that it is confirmed', async () => {
  const { code, stdout, stderr } = await svc('wallet', 'deposit', '2.5')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Transaction: 0x[0-9a-f]{64}\nStatus: confirmed\n$/) })
  // Before it is sent, so that it can be looked up after an interruption.
  expect(stderr).toContain(/0x[0-9a-f]{64}/.exec(stdout)?.[0])
})

test('approve says that the approval exists', async () => {
  expect(await svc('wallet', 'approve')).toEqual({ code: 0, stdout: 'FWSS approval: already approved\n', stderr: '' })
})

const txLine = 'Transaction: 0x[0-9a-f]{64}\n'

test('admin wallet status shows the runway first, and operations what was done', async () => {
  const { code, stdout } = await svc('admin', 'wallet', 'status')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Runway: no running costs\nDeposit: [\d.]+ USDFC\nAvailable: [\d.]+ USDFC\nCan be withdrawn: [\d.]+ USDFC\n/)
  expect(stdout).toMatch(
    /\nWallet: 0x\w{40}\n.*\n.*\nApproval of the storage service: approved\nNetwork: devnet \(chain 31415926, epoch \d+\)\n$/,
  )
  expect((await svc('admin', 'wallet', 'operations')).stdout).toMatch(
    /^ID +TYPE +USDFC +STATUS +CREATED +TRANSACTION +DETAILS\n(?:.*\n)*\d+ +fund +1000 +confirmed +/,
  )
})

test('admin wallet fund, withdraw and approve --wait show the outcome; --request-id repeats a request and pays once', async () => {
  const fund = await svc('admin', 'wallet', 'fund', '1.5', '--wait')
  expect(fund).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^Operation \\d+: fund 1.5 USDFC\n${txLine}Status: confirmed\n$`)),
  })
  const [, id = ''] = /--request-id (\S+)/.exec(fund.stderr) ?? []
  expect(fund.stderr).toMatch(/\nfund (pending|submitted)/)
  const again = await svc('admin', 'wallet', 'fund', '1.5', '--request-id', id)
  expect(again).toEqual({ code: 0, stdout: fund.stdout, stderr: '' })
  expect((await svc('admin', 'wallet', 'fund', '2', '--request-id', id)).code).toBe(1)
  const approve = await svc('admin', 'wallet', 'approve', '--wait', '--json')
  expect(JSON.parse(approve.stdout).operation).toMatchObject({ type: 'approve', status: 'confirmed' })
  const tooMuch = await svc('admin', 'wallet', 'withdraw', '99999999', '--wait')
  expect(tooMuch).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/Status: failed\nDetails: Only [\d.]+ USDFC .* can be withdrawn now/),
  })
  const max = await svc('admin', 'wallet', 'withdraw', 'max', '--wait')
  expect(max).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Operation \d+: withdraw \d+(\.\d+)? USDFC\n/) })
  expect((await svc('admin', 'wallet', 'withdraw', 'max')).stderr).toContain('no USDFC can be withdrawn now')
})

test('without --wait a request says how to follow it; a wrong amount asks nothing', async () => {
  expect(await svc('admin', 'wallet', 'fund', '3')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Status: (pending|submitted)\nA task follows it: svc admin wallet operations --watch/),
  })
  for (const amount of ['0', '-1', 'all', '1e3']) expect((await svc('admin', 'wallet', 'withdraw', amount)).code).toBe(2)
})

test('an amount above the balance of the wallet is refused before anything is sent', async () => {
  const { code, stdout, stderr } = await svc('wallet', 'deposit', '99999999')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^fatal: the wallet 0x\w{40} holds [\d.]+ USDFC, less than the 99999999 to deposit\n$/)
})

test('without a key the command names svc wallet generate', async () => {
  using home = svcHome()
  await home.run(['init'])
  expect(await home.run(['wallet', 'approve'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^fatal: chain\.private_key is required: .*svc wallet generate.*SVC_CHAIN_PRIVATE_KEY/),
  })
})

test('generate prints a new address and its key each time', async () => {
  using home = svcHome()
  const [one, other] = await Promise.all([home.run(['wallet', 'generate']), home.run(['wallet', 'generate'])])
  for (const { stdout } of [one, other]) expect(stdout).toMatch(/^Address: 0x[0-9a-fA-F]{40}\nPrivate key: 0x[0-9a-f]{64}\n$/)
  expect(one.stdout).not.toBe(other.stdout)
})

test('provider list shows the providers and checks whether each answers', async () => {
  const { code, stdout, stderr } = await svc('provider', 'list')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^ID +NAME +ACTIVE +SERVICE URL +LOCATION +HEALTH +MIN PIECE +MAX PIECE\n1 +.+ +✓ +http:\/\/127\.0\.0\.1:\d+ +.+ +reachable +/,
  )
  expect(stdout).toMatch(/\n\nTotal: 3 providers \(3 with PDP, 3 reachable\)\n$/)
  expect(stderr).toMatch(/^Reading the providers of devnet from .+\nChecking the health of 3 providers\n$/)
})

test('provider list --active --no-health --timeout reads only the chain, through --rpc-url if given', async () => {
  const list = (...flags: string[]) => svc('provider', 'list', '--active', '--no-health', '--timeout', '1s', ...flags)
  const { code, stdout, stderr } = await list()
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Asking') })
  expect(stdout).toMatch(/Total: 3 providers \(3 with PDP, health skipped\)\n$/)
  const [, rpcUrl = ''] = /from (\S+)/.exec(stderr) ?? []
  expect((await list('--rpc-url', rpcUrl)).stdout).toBe(stdout)
  // The node serves another chain.
  expect(await list('--rpc-url', rpcUrl, '--network', 'mainnet')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/serves chain \d+, but mainnet is chain 314; check chain.rpc_url and chain.network\n$/),
  })
})
