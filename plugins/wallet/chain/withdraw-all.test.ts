/** Withdrawals and approvals with running costs, on real contracts. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, startFixture } from '../../../devnet/testing/fixture.ts'
import { testSpending } from '../testing/test-spending.ts'
import { type Chain, openAccount, openChain } from './clients.ts'
import { resolveNetwork } from './networks.ts'
import { readAccount, readApproval } from './payment-account.ts'
import { planFunding } from './plan-funding.ts'
import { planWithdrawal } from './plan-withdrawal.ts'
import { filecoinPayAbi } from './synapse-constants.ts'
import { broadcast, lookUp, type PlannedCall, planCall, signTransaction } from './transactions.ts'

let fixture: Fixture
let chain: Chain
let account: PrivateKeyAccount

beforeAll(async () => {
  fixture = await startFixture({ providers: 1, blockTimeSeconds: 0 })
  chain = openChain({ network: await resolveNetwork({ network: 'devnet', devnetInfoPath: fixture.devnet.infoPath }) })
  account = openAccount(fixture.userKey)
  const dataSet = await fixture.createDataSet(0)
  await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

/** Outcome of a transaction mined five epochs after it was planned. */
async function outcomeOf(call: PlannedCall) {
  const signed = await signTransaction({ chain, account, call, limits: testSpending.fees })
  await fixture.devnet.chain.mine(5)
  expect(await broadcast(chain, signed.raw)).toEqual({ kind: 'sent' })
  await fixture.devnet.chain.mine(3)
  return (await lookUp(chain, account.address, signed)).state
}

test('a full withdrawal leaves a few epochs of the current rate, without which the contract reverts', async () => {
  const { filecoinPay, usdfc } = chain.network.contracts
  const before = await readAccount(chain, account.address)
  expect(before.lockupRate).toBeGreaterThan(0n)
  const args = [usdfc, before.available] as const
  const whole = planCall({ what: 'withdraw USDFC', to: filecoinPay, abi: filecoinPayAbi, functionName: 'withdraw', args })
  await expect(outcomeOf(whole)).rejects.toMatchObject({ errorName: 'InsufficientUnlockedFunds' })
  expect(await outcomeOf(await planWithdrawal({ chain, account, amount: 'all' }))).toBe('confirmed')
  const after = await readAccount(chain, account.address)
  expect(after.available).toBeLessThan(10n * before.lockupRate)
  await expect(planWithdrawal({ chain, account, amount: 'all' })).rejects.toMatchObject({ reason: 'available_funds_too_low' })
})

test('an approval is not lowered below its usage', async () => {
  const { rateUsage, lockupUsage } = await readApproval(chain, account.address)
  expect(rateUsage).toBeGreaterThan(0n)
  const fund = (ratePerEpoch: bigint, lockup: bigint) =>
    planFunding({ chain, account, amount: 0n, approval: { ...testSpending.approval, ratePerEpoch, lockup } })
  await expect(fund(rateUsage - 1n, lockupUsage)).rejects.toMatchObject({ reason: 'limits_below_usage' })
  await expect(fund(rateUsage, lockupUsage - 1n)).rejects.toMatchObject({ reason: 'limits_below_usage' })
  expect(await fund(rateUsage, lockupUsage)).not.toBeNull()
})
