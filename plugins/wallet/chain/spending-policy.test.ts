import { expect, test } from 'vitest'
import type { OperatorApproval } from './approval-policy.ts'
import { toSpendingLimits, whyNotLowered } from './spending-policy.ts'

const settings = {
  max_fee_per_gas_nanofil: 10,
  max_transaction_fee_millifil: 1000,
  approved_usdfc_per_month: 1000,
  approved_lockup_usdfc: 2000,
  approved_lockup_days: 30,
}
const limitsOf = (changes: Partial<typeof settings>) => toSpendingLimits({ ...settings, ...changes }, { epochSeconds: 30 }).approval
const limits = limitsOf({})
const unlimited = 2n ** 256n - 1n
const infinite: OperatorApproval = {
  isApproved: true,
  rateAllowance: unlimited,
  lockupAllowance: unlimited,
  rateUsage: limits.ratePerEpoch,
  lockupUsage: limits.lockup,
  maxLockupPeriod: unlimited,
}

test.each<readonly [changed: Partial<OperatorApproval>]>([
  [{}],
  // No allowance is lowered.
  [{ rateAllowance: limits.ratePerEpoch, rateUsage: limits.ratePerEpoch + 1n }],
  [{ isApproved: false, rateUsage: limits.ratePerEpoch + 1n }],
])('an approval with %o may be set to the limits', (changed) => {
  expect(whyNotLowered({ ...infinite, ...changed }, limits)).toBeUndefined()
})

test.each([
  [{ rateUsage: limits.ratePerEpoch + 1n }, '1001 USDFC per 30 days', 'approved_usdfc_per_month', 1001],
  [{ lockupUsage: limits.lockup + 1n }, '2001 USDFC', 'approved_lockup_usdfc', 2001],
])('an approval with %o is not lowered below its usage, and the named value suffices', (changed, used, key, least) => {
  const approval = { ...infinite, ...changed }
  const reason = whyNotLowered(approval, limits)
  expect(reason).toContain(`up to ${used} now, more than chain.spending.${key} allows`)
  expect(reason).toContain(`Set it to ${least} or more, then run svc wallet approve.`)
  expect(whyNotLowered(approval, limitsOf({ [key]: least }))).toBeUndefined()
})
