import { expect, test } from 'vitest'
import {
  approvalAdvice,
  approvalState,
  differsFromLimits,
  excessAdvice,
  fallsShortOfLimits,
  nearlyUsed,
  type OperatorApproval,
  raisedToLimits,
} from './approval-policy.ts'

const limits = { ratePerEpoch: 1000n, lockup: 5000n, lockupPeriodEpochs: 86_400n }
const granted: OperatorApproval = {
  isApproved: true,
  rateAllowance: 1000n,
  lockupAllowance: 5000n,
  rateUsage: 0n,
  lockupUsage: 0n,
  maxLockupPeriod: 86_400n,
}
const unlimited = { rateAllowance: 2n ** 256n - 1n, lockupAllowance: 2n ** 256n - 1n, maxLockupPeriod: 2n ** 256n - 1n }

test.each([
  [{}, { approved: true }],
  [{ rateUsage: 990n, lockupUsage: 4900n }, { approved: true }],
  [{ isApproved: false }, { approved: false, reason: 'not_approved' }],
  [{ rateUsage: 991n }, { approved: false, reason: 'rate_limited' }],
  [{ lockupUsage: 4901n }, { approved: false, reason: 'lockup_limited' }],
  // Lowered by one-time fees.
  [{ lockupAllowance: 99n }, { approved: false, reason: 'lockup_limited' }],
  [{ maxLockupPeriod: 86_399n }, { approved: false, reason: 'lockup_period_too_short' }],
  [unlimited, { approved: true }],
])('an approval with %o is %o for work that adds rate 10 and lockup 100', (changed, expected) => {
  expect(approvalState({ ...granted, ...changed }, { ratePerEpoch: 10n, lockup: 100n }, 86_400n)).toEqual(expected)
})

test.each([
  [{}, undefined],
  [{ rateUsage: 899n, lockupUsage: 4499n }, undefined],
  [{ rateUsage: 900n }, 'rate_limited'],
  [{ lockupUsage: 4500n }, 'lockup_limited'],
  [{ rateAllowance: 0n, lockupAllowance: 0n }, undefined],
])('usage %o: the nearly used allowance is %s', (changed, expected) => {
  expect(nearlyUsed({ ...granted, ...changed })).toBe(expected)
})

test.each<readonly [changed: Partial<OperatorApproval>, approve: boolean, onDeposit: boolean]>([
  [{}, false, false],
  [{ lockupAllowance: 4500n }, false, false],
  [{ lockupAllowance: 4499n }, true, false],
  [{ lockupAllowance: 2499n }, true, true],
  [{ rateAllowance: 999n }, true, true],
  [{ maxLockupPeriod: 86_399n }, true, true],
  [{ isApproved: false }, true, true],
  [unlimited, true, false],
])('%o: an explicit approval is needed: %s, a deposit also approves: %s', (changed, approve, onDeposit) => {
  expect(differsFromLimits({ ...granted, ...changed }, limits)).toBe(approve)
  expect(fallsShortOfLimits({ ...granted, ...changed }, limits)).toBe(onDeposit)
})

test.each<readonly [changed: Partial<OperatorApproval>, granted: Partial<typeof limits>]>([
  [{ rateAllowance: 999n, lockupAllowance: 2499n, maxLockupPeriod: 86_399n }, {}],
  [
    { ...unlimited, maxLockupPeriod: 86_399n },
    { ratePerEpoch: unlimited.rateAllowance, lockup: unlimited.lockupAllowance },
  ],
  [
    { rateAllowance: 999n, lockupAllowance: 5001n, maxLockupPeriod: 86_401n },
    { lockup: 5001n, lockupPeriodEpochs: 86_401n },
  ],
  [{ rateAllowance: 1001n, lockupAllowance: 2499n }, { ratePerEpoch: 1001n }],
  [{ ...unlimited, isApproved: false }, {}],
])('%o: a deposit grants the limits, except %o', (changed, larger) => {
  expect(raisedToLimits({ ...granted, ...changed }, limits)).toEqual({ ...limits, ...larger })
})

test.each([
  ['not_approved', { isApproved: false }, 'Run svc wallet approve.'],
  ['rate_limited', { rateAllowance: 900n }, 'Run svc wallet approve.'],
  ['rate_limited', {}, 'Raise chain.spending.approved_usdfc_per_month and run svc wallet approve.'],
  ['lockup_limited', { lockupAllowance: 4000n }, 'Run svc wallet approve.'],
  ['lockup_limited', {}, 'Raise chain.spending.approved_lockup_usdfc and run svc wallet approve.'],
  ['lockup_period_too_short', {}, 'Raise chain.spending.approved_lockup_days and run svc wallet approve.'],
] as const)('the advice for %s with %o: %s', (reason, changed, advice) => {
  expect(approvalAdvice(reason, { ...granted, ...changed }, limits)).toBe(advice)
  // The command changes something exactly when it is the whole advice.
  expect(differsFromLimits({ ...granted, ...changed }, limits)).toBe(advice.startsWith('Run'))
})

const [rate, lockup, days] = ['usdfc_per_month', 'lockup_usdfc', 'lockup_days'].map((key) => `chain.spending.approved_${key}`)
test.each([
  [{}, undefined],
  [{ lockupAllowance: 4000n }, undefined],
  [unlimited, `Run svc wallet approve to lower it to the settings, or raise ${rate}, ${lockup}, ${days}.`],
  [{ rateAllowance: 1001n, rateUsage: 1000n }, `Run svc wallet approve to lower it to the settings, or raise ${rate}.`],
  [{ maxLockupPeriod: 86_401n }, `Run svc wallet approve to lower it to the settings, or raise ${days}.`],
  [{ ...unlimited, rateUsage: 1001n }, `Raise ${rate}, which is below the current usage, and run svc wallet approve.`],
  [{ lockupAllowance: 9000n, lockupUsage: 5001n }, `Raise ${lockup}, which is below the current usage, and run svc wallet approve.`],
])('the advice for allowances above the settings, %o: %s', (changed, advice) => {
  expect(excessAdvice({ ...granted, ...changed }, limits)).toBe(advice)
})
