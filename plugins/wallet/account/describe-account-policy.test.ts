import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settleAccount } from '../chain/cost-policy.ts'
import { describeAccount } from './describe-account-policy.ts'

const shown = { epochSeconds: 30, nowMs: Date.UTC(2026, 0, 1) }
const usdfc = 10n ** 18n
const day = 2880n
const account = (funds: bigint, lockupRate: bigint, lockupCurrent = 0n) =>
  settleAccount({ funds, lockupCurrent, lockupRate, lockupLastSettledAt: 100n }, 100n)

test('an account with running costs shows its runway, what it costs, and the deposit for 90 more days', () => {
  expect(describeAccount(account(20n * day * 5n + 7n, 5n, 7n), shown)).toEqual({
    funds: '288007',
    available_funds: '288000',
    withdrawable_funds: String(288_000 - 30 * 5),
    lockup_current: '7',
    lockup_rate: '5',
    lockup_rate_per_day: String(5n * day),
    lockup_rate_per_month: String(5n * day * 30n),
    lockup_last_settled_at: '100',
    funded_until_epoch: String(100n + 20n * day),
    funded_until_time: '2026-01-21T00:00:00.000Z',
    runway_seconds: 20 * 86_400,
    runway_days: 20,
    no_active_spend: false,
    deposit_for_90_days: String(5n * day * 90n),
  })
})

test('an account without running costs has no runway', () => {
  const described = describeAccount(account(usdfc, 0n), shown)
  expect(described).toMatchObject({ no_active_spend: true, funded_until_epoch: null, deposit_for_90_days: '0' })
  for (const name of ['runway_seconds', 'runway_days', 'funded_until_time']) expect(described).not.toHaveProperty(name)
})

test('in debt the deposit pays the debt too, and nothing can be withdrawn', () => {
  const described = describeAccount(account(10n, 5n, 30n), shown)
  expect(described).toMatchObject({ available_funds: '0', withdrawable_funds: '0', runway_days: 0 })
  expect(described.deposit_for_90_days).toBe(String(20n + 5n * day * 90n))
})

test('the deposit for 90 days buys 90 days, amounts are exact, and every account can be shown', () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 112n })
  fc.assert(
    fc.property(amount, amount, amount, (funds, lockupCurrent, lockupRate) => {
      const before = account(funds, lockupRate, lockupCurrent)
      const described = describeAccount(before, shown)
      expect(BigInt(described.funds)).toBe(funds)
      expect(BigInt(described.lockup_rate_per_month)).toBe(lockupRate * day * 30n)
      expect(Number.isSafeInteger(described.runway_seconds ?? 0)).toBe(true)
      if (lockupRate === 0n) return
      const after = account(funds + BigInt(described.deposit_for_90_days), lockupRate, lockupCurrent)
      expect((after.runwayEpochs ?? 0n) - (before.runwayEpochs ?? 0n)).toBe(90n * day)
    }),
  )
})
