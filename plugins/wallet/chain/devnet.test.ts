/** The wallet against real contracts on a local chain. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, parseEther, parseTransaction } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/devnet.ts'
import { testSpending } from '../testing/test-spending.ts'
import { type Chain, openAccount, openChain } from './clients.ts'
import { judgeVersions } from './contract-version-policy.ts'
import { resolveNetwork } from './networks.ts'
import { estimateCost, readBalances, readFunding } from './payment-account.ts'
import { planFunding } from './plan-funding.ts'
import { planTermination } from './plan-termination.ts'
import { planWithdrawal } from './plan-withdrawal.ts'
import { signReplacement } from './replacement.ts'
import { broadcast, lookUp, type PlannedCall, type SignedTransaction, signTransaction } from './transactions.ts'

let devnet: Devnet
let chain: Chain
let account: PrivateKeyAccount
const { fees, approval } = testSpending
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-wallet-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  devnet = stack.use(await startDevnet({ dir, providers: 1, blockTimeSeconds: 0 }))
  chain = openChain({ network: await resolveNetwork({ network: 'devnet', devnetInfoPath: devnet.infoPath }) })
  stack.defer(() => chain.close())
  account = openAccount(devnet.users[0]?.privateKey ?? '')
})
afterAll(() => stack.disposeAsync())

/** Outcome of a transaction, after mining the blocks that make it final. */
async function endOf(signed: SignedTransaction) {
  for (let block = 0; block < 10; block++) {
    await devnet.chain.mine()
    const found = await lookUp(chain, account.address, signed)
    if (found.state !== 'pending') return found
  }
  throw new Error(`transaction ${signed.hash} is not final after ten blocks`)
}

async function perform(call: PlannedCall | null): Promise<SignedTransaction> {
  if (call === null) throw new Error('nothing planned')
  const signed = await signTransaction({ chain, account, call, limits: fees })
  expect(await lookUp(chain, account.address, signed)).toEqual({ state: 'unknown' })
  expect(await broadcast(chain, signed.raw)).toEqual({ kind: 'sent' })
  expect(await lookUp(chain, account.address, signed)).toMatchObject({ state: 'pending' })
  expect(await endOf(signed)).toMatchObject({ state: 'confirmed' })
  return signed
}

test('the chain matches its file, and its contracts are readable', async () => {
  expect(await chain.reportedChainId()).toBe(chain.network.chainId)
  expect(judgeVersions(await chain.contractVersions())).toEqual({ isSupported: true })
  expect(await chain.warmStorageView()).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(await chain.finalEpoch()).toBe((await chain.currentEpoch()) - 1n)
})

test('a wallet is funded and approved in one transaction, then needs no further one', async () => {
  const before = await readFunding(chain, account.address)
  const work = { kind: 'additions', additions: [{ isNewDataSet: true, currentBytes: 0n, addedBytes: 127n, pieces: 1 }] } as const
  expect(before.approvalState).toEqual({ approved: false, reason: 'not_approved' })
  expect(estimateCost(work, before)).toMatchObject({ ready: false, approvalState: { approved: false } })

  const signed = await perform(await planFunding({ chain, account, approval, amount: parseEther('5') }))
  const after = await readFunding(chain, account.address)
  expect(after.account).toMatchObject({ funds: parseEther('5'), available: parseEther('5'), debt: 0n, runwayEpochs: null })
  expect(after.approvalState).toEqual({ approved: true })
  expect(estimateCost(work, after)).toMatchObject({ ready: true, depositNeeded: 0n, approvalState: { approved: true } })
  expect(await planFunding({ chain, account, approval, amount: 0n })).toBeNull()
  // Sending the same bytes again is safe.
  expect(await broadcast(chain, signed.raw)).toEqual({ kind: 'sent' })
  expect((await readFunding(chain, account.address)).account.funds).toBe(parseEther('5'))
})

test('an approved wallet only deposits, and withdraws what is not locked', async () => {
  const { usdfc } = await readBalances(chain, account.address)
  await perform(await planFunding({ chain, account, approval, amount: parseEther('2') }))
  await perform(await planWithdrawal({ chain, account, amount: parseEther('3') }))
  expect((await readFunding(chain, account.address)).account.funds).toBe(parseEther('4'))
  expect((await readBalances(chain, account.address)).usdfc).toBe(usdfc + parseEther('1'))
})

test('a deposit keeps an infinite approval, and an explicit approval lowers it to the settings', async () => {
  await devnet.approveFwss(devnet.users[0]?.privateKey ?? '0x')
  const unlimited = 2n ** 256n - 1n
  await perform(await planFunding({ chain, account, approval, amount: parseEther('1') }))
  expect((await readFunding(chain, account.address)).approval).toMatchObject({ rateAllowance: unlimited, lockupAllowance: unlimited })
  await perform(await planFunding({ chain, account, approval, amount: 0n }))
  expect((await readFunding(chain, account.address)).approval).toMatchObject({
    isApproved: true,
    rateAllowance: approval.ratePerEpoch,
    lockupAllowance: approval.lockup,
    maxLockupPeriod: approval.lockupPeriodEpochs,
  })
  await perform(await planWithdrawal({ chain, account, amount: parseEther('1') }))
  expect(await planFunding({ chain, account, approval, amount: 0n })).toBeNull()
})

test('a deposit raises the allowance below its limit and keeps the larger ones', async () => {
  const other = { ratePerEpoch: approval.ratePerEpoch * 2n, lockup: approval.lockup * 3n, lockupPeriodEpochs: approval.lockupPeriodEpochs }
  await perform(await planFunding({ chain, account, approval: other, amount: 0n }))
  const longer = { ...approval, lockupPeriodEpochs: approval.lockupPeriodEpochs * 2n }
  await perform(await planFunding({ chain, account, approval: longer, amount: parseEther('1') }))
  expect((await readFunding(chain, account.address)).approval).toMatchObject({
    rateAllowance: other.ratePerEpoch,
    lockupAllowance: other.lockup,
    maxLockupPeriod: longer.lockupPeriodEpochs,
  })
  await perform(await planFunding({ chain, account, approval, amount: 0n }))
  await perform(await planWithdrawal({ chain, account, amount: parseEther('1') }))
})

test('amounts above the balance of wallet or account are rejected before signing', async () => {
  await expect(planFunding({ chain, account, approval, amount: parseEther('1000000') })).rejects.toMatchObject({
    reason: 'wallet_balance_too_low',
  })
  await expect(planWithdrawal({ chain, account, amount: parseEther('5') })).rejects.toMatchObject({ reason: 'available_funds_too_low' })
  await expect(planWithdrawal({ chain, account, amount: 0n })).rejects.toMatchObject({ reason: 'amount_not_positive' })
})

test('a transaction whose nonce another one used is replaced', async () => {
  const call = await planWithdrawal({ chain, account, amount: 1n })
  const rival = await planWithdrawal({ chain, account, amount: 2n })
  const signed = await signTransaction({ chain, account, call, limits: fees })
  const { hash: by } = await perform(rival)
  expect(await lookUp(chain, account.address, signed)).toEqual({ state: 'replaced', by })
  expect(await broadcast(chain, signed.raw)).toMatchObject({ kind: 'uncertain' })
})

test('a transaction without funds when it is mined is reverted', async () => {
  const first = await signTransaction({
    chain,
    account,
    limits: fees,
    call: await planWithdrawal({ chain, account, amount: parseEther('3') }),
  })
  const call = await planWithdrawal({ chain, account, amount: parseEther('3') })
  const second = await signTransaction({ chain, account, call, limits: fees, nonce: first.nonce + 1 })
  await broadcast(chain, first.raw)
  await broadcast(chain, second.raw)
  expect(await endOf(first)).toMatchObject({ state: 'confirmed' })
  expect(await endOf(second)).toMatchObject({ state: 'reverted' })
})

test('a transaction that a reorganisation removed is sent again with the same bytes', async () => {
  const signed = await signTransaction({ chain, account, limits: fees, call: await planWithdrawal({ chain, account, amount: 1n }) })
  await broadcast(chain, signed.raw)
  await devnet.chain.reorg(1)
  expect(['unknown', 'pending']).toContain((await lookUp(chain, account.address, signed)).state)
  expect(await broadcast(chain, signed.raw)).toEqual({ kind: 'sent' })
  expect(await endOf(signed)).toMatchObject({ state: 'confirmed' })
})

test('terminating a data set of another payer is rejected with the contract’s reason', async () => {
  const call = planTermination({ chain, dataSetId: 99n })
  await expect(signTransaction({ chain, account, call, limits: fees })).rejects.toMatchObject({
    code: 'chain_reverted',
    errorName: 'InvalidDataSetId',
    args: [99n],
  })
})

test('I-44: a transaction below the base fee is replaced under its nonce, and the chain takes only the replacement', async () => {
  const setBaseFee = (fee: bigint) =>
    chain.publicClient.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: [numberToHex(fee)] } as never)
  await setBaseFee(1000n)
  await devnet.chain.mine()
  const call = await planFunding({ chain, account, approval, amount: parseEther('1') })
  if (call === null) throw new Error('nothing planned')
  const first = await signTransaction({ chain, account, call, limits: fees })
  const cap = parseTransaction(first.raw).maxFeePerGas ?? 0n
  await devnet.chain.hold()
  expect(await broadcast(chain, first.raw)).toEqual({ kind: 'sent' })
  expect(await signReplacement({ chain, account, signed: first, limits: fees })).toBeUndefined()
  // A full block later the base fee is at most an eighth lower.
  await setBaseFee(cap * 3n)
  await devnet.chain.mine()
  // The local node drops it from its pool; others keep it.
  expect(['unknown', 'pending']).toContain((await lookUp(chain, account.address, first)).state)
  await expect(signReplacement({ chain, account, signed: first, limits: { ...fees, feePerGasMax: cap * 2n } })).rejects.toMatchObject({
    code: 'fee_above_limit',
  })
  const next = await signReplacement({ chain, account, signed: first, limits: fees })
  if (next === undefined) throw new Error('not replaced')
  expect(next.nonce).toBe(first.nonce)
  expect(await broadcast(chain, next.raw)).toEqual({ kind: 'sent' })
  await devnet.chain.release()
  expect(await endOf({ ...next, earlier: [first.hash] })).toMatchObject({ state: 'confirmed' })
  expect(await lookUp(chain, account.address, first)).toEqual({ state: 'replaced', by: next.hash })
  // The row of an operation may name the other one as the newest.
  expect(await lookUp(chain, account.address, { ...first, earlier: [next.hash] })).toMatchObject({ state: 'confirmed' })
})
