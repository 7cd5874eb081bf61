/** What the storage service may draw on the payment account: FilecoinPay's allowances. Amounts are in 10^-18 USDFC. */

export interface OperatorApproval {
  readonly isApproved: boolean
  /** Highest sum of running rates, per epoch. */
  readonly rateAllowance: bigint
  /** Highest sum of what is locked. Every one-time fee lowers it for good. */
  readonly lockupAllowance: bigint
  readonly rateUsage: bigint
  readonly lockupUsage: bigint
  /** Epochs. */
  readonly maxLockupPeriod: bigint
}

/** The allowances that the operator's settings grant. */
export interface ApprovalLimits {
  readonly ratePerEpoch: bigint
  readonly lockup: bigint
  readonly lockupPeriodEpochs: bigint
}

/** What planned work adds to the usage. */
export interface ApprovalNeed {
  readonly ratePerEpoch: bigint
  readonly lockup: bigint
}

export type ApprovalState =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason: 'not_approved' | 'rate_limited' | 'lockup_limited' | 'lockup_period_too_short' }

export const noNeed: ApprovalNeed = { ratePerEpoch: 0n, lockup: 0n }
/** From this share of an allowance on the operator is warned. */
const nearlyUsedPercent = 90n
/** `svc wallet approve` sets a lockup allowance again that fees have lowered below this share. */
const lockupLeftPercent = 90n
/** A deposit renews it, at no extra transaction, below this share. */
const lockupLeftAtDepositPercent = 50n

/** Whether the allowances cover the need on top of what is in use. */
export function approvalState(approval: OperatorApproval, need: ApprovalNeed, lockupPeriodEpochs: bigint): ApprovalState {
  if (!approval.isApproved) return { approved: false, reason: 'not_approved' }
  if (approval.rateUsage + need.ratePerEpoch > approval.rateAllowance) return { approved: false, reason: 'rate_limited' }
  if (approval.lockupUsage + need.lockup > approval.lockupAllowance) return { approved: false, reason: 'lockup_limited' }
  if (approval.maxLockupPeriod < lockupPeriodEpochs) return { approved: false, reason: 'lockup_period_too_short' }
  return { approved: true }
}

/** The allowance that is nearly used up; undefined while there is room in both. */
export function nearlyUsed(approval: OperatorApproval): 'rate_limited' | 'lockup_limited' | undefined {
  if (isNearly(approval.rateUsage, approval.rateAllowance)) return 'rate_limited'
  if (isNearly(approval.lockupUsage, approval.lockupAllowance)) return 'lockup_limited'
  return undefined
}

const isNearly = (usage: bigint, allowance: bigint) => usage > 0n && usage * 100n >= allowance * nearlyUsedPercent

/** Whether an explicit approval changes anything: it brings every allowance to the limits of the settings, down as well as up. */
export function differsFromLimits(approval: OperatorApproval, limits: ApprovalLimits): boolean {
  return (
    !approval.isApproved ||
    approval.rateAllowance !== limits.ratePerEpoch ||
    approval.lockupAllowance > limits.lockup ||
    approval.lockupAllowance * 100n < limits.lockup * lockupLeftPercent ||
    approval.maxLockupPeriod !== limits.lockupPeriodEpochs
  )
}

/** Whether a deposit should approve on the way, because an allowance falls short of the limits. */
export function fallsShortOfLimits(approval: OperatorApproval, limits: ApprovalLimits): boolean {
  return (
    !approval.isApproved ||
    approval.rateAllowance < limits.ratePerEpoch ||
    approval.lockupAllowance * 100n < limits.lockup * lockupLeftAtDepositPercent ||
    approval.maxLockupPeriod < limits.lockupPeriodEpochs
  )
}

/**
 * What a deposit that approves on the way grants: FilecoinPay sets all three at once, so an allowance above its limit is granted
 * again as it is. A revoked approval grants nothing now, and starts from the limits.
 */
export function raisedToLimits(approval: OperatorApproval, limits: ApprovalLimits): ApprovalLimits {
  if (!approval.isApproved) return limits
  return {
    ratePerEpoch: larger(approval.rateAllowance, limits.ratePerEpoch),
    lockup: larger(approval.lockupAllowance, limits.lockup),
    lockupPeriodEpochs: larger(approval.maxLockupPeriod, limits.lockupPeriodEpochs),
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** What to do about an allowance that does not suffice, as a sentence for the operator. */
export function approvalAdvice(
  reason: Exclude<ApprovalState, { approved: true }>['reason'],
  approval: OperatorApproval,
  limits: ApprovalLimits,
): string {
  if (reason === 'not_approved' || differsUpwards(reason, approval, limits)) return 'Run svc wallet approve.'
  return `Raise ${settingOf[reason]} and run svc wallet approve.`
}

/** What to do about allowances above the settings, as a sentence for the operator; undefined where there are none. */
export function excessAdvice(approval: OperatorApproval, limits: ApprovalLimits): string | undefined {
  const excess: (keyof typeof settingOf)[] = []
  if (approval.rateAllowance > limits.ratePerEpoch) excess.push('rate_limited')
  if (approval.lockupAllowance > limits.lockup) excess.push('lockup_limited')
  if (approval.maxLockupPeriod > limits.lockupPeriodEpochs) excess.push('lockup_period_too_short')
  if (excess.length === 0) return undefined
  const inUse = loweredBelowUsage(approval, limits)
  if (inUse) return `Raise ${settingOf[inUse]}, which is below what is in use, and run svc wallet approve.`
  return `Run svc wallet approve to lower it to the settings, or raise ${excess.map((reason) => settingOf[reason]).join(', ')}.`
}

/** The allowance that an explicit approval would lower below what is in use; new work would wait then. */
export function loweredBelowUsage(approval: OperatorApproval, limits: ApprovalLimits): 'rate_limited' | 'lockup_limited' | undefined {
  if (!approval.isApproved) return undefined
  const { rateAllowance, rateUsage, lockupAllowance, lockupUsage } = approval
  if (limits.ratePerEpoch < rateAllowance && limits.ratePerEpoch < rateUsage) return 'rate_limited'
  if (limits.lockup < lockupAllowance && limits.lockup < lockupUsage) return 'lockup_limited'
  return undefined
}

export const settingOf = {
  rate_limited: 'chain.spending.approved_usdfc_per_month',
  lockup_limited: 'chain.spending.approved_lockup_usdfc',
  lockup_period_too_short: 'chain.spending.approved_lockup_days',
} as const

/** Whether the settings grant more than the chain has now. */
function differsUpwards(reason: keyof typeof settingOf, approval: OperatorApproval, limits: ApprovalLimits): boolean {
  if (reason === 'rate_limited') return approval.rateAllowance < limits.ratePerEpoch
  if (reason === 'lockup_limited') return approval.lockupAllowance * 100n < limits.lockup * lockupLeftPercent
  return approval.maxLockupPeriod < limits.lockupPeriodEpochs
}
