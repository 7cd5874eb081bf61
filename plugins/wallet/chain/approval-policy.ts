/** FilecoinPay's allowances of the storage service on the payment account. Amounts in 10^-18 USDFC. */

export interface OperatorApproval {
  readonly isApproved: boolean
  /** Maximum sum of payment rates, per epoch. */
  readonly rateAllowance: bigint
  /** Maximum total lockup. Every one-time fee lowers it permanently. */
  readonly lockupAllowance: bigint
  readonly rateUsage: bigint
  readonly lockupUsage: bigint
  /** Epochs. */
  readonly maxLockupPeriod: bigint
}

/** The allowances configured in chain.spending. */
export interface ApprovalLimits {
  readonly ratePerEpoch: bigint
  readonly lockup: bigint
  readonly lockupPeriodEpochs: bigint
}

/** Usage added by planned work. */
export interface ApprovalNeed {
  readonly ratePerEpoch: bigint
  readonly lockup: bigint
}

export type ApprovalState =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason: 'not_approved' | 'rate_limited' | 'lockup_limited' | 'lockup_period_too_short' }

export const noNeed: ApprovalNeed = { ratePerEpoch: 0n, lockup: 0n }
/** Usage of an allowance from which readiness warns. */
const nearlyUsedPercent = 90n
/** `svc wallet approve` renews a lockup allowance that fees lowered below this share of its limit. */
const lockupLeftPercent = 90n
/** A deposit renews it below this share, in the same transaction. */
const lockupLeftAtDepositPercent = 50n

/** Checks whether the allowances cover the need in addition to the current usage. */
export function approvalState(approval: OperatorApproval, need: ApprovalNeed, lockupPeriodEpochs: bigint): ApprovalState {
  if (!approval.isApproved) return { approved: false, reason: 'not_approved' }
  if (approval.rateUsage + need.ratePerEpoch > approval.rateAllowance) return { approved: false, reason: 'rate_limited' }
  if (approval.lockupUsage + need.lockup > approval.lockupAllowance) return { approved: false, reason: 'lockup_limited' }
  if (approval.maxLockupPeriod < lockupPeriodEpochs) return { approved: false, reason: 'lockup_period_too_short' }
  return { approved: true }
}

/** The allowance used to at least 90 %, or undefined. */
export function nearlyUsed(approval: OperatorApproval): 'rate_limited' | 'lockup_limited' | undefined {
  if (isNearly(approval.rateUsage, approval.rateAllowance)) return 'rate_limited'
  if (isNearly(approval.lockupUsage, approval.lockupAllowance)) return 'lockup_limited'
  return undefined
}

const isNearly = (usage: bigint, allowance: bigint) => usage > 0n && usage * 100n >= allowance * nearlyUsedPercent

/** True when an explicit approval would change an allowance: it raises or lowers each one to its limit. */
export function differsFromLimits(approval: OperatorApproval, limits: ApprovalLimits): boolean {
  return (
    !approval.isApproved ||
    approval.rateAllowance !== limits.ratePerEpoch ||
    approval.lockupAllowance > limits.lockup ||
    approval.lockupAllowance * 100n < limits.lockup * lockupLeftPercent ||
    approval.maxLockupPeriod !== limits.lockupPeriodEpochs
  )
}

/** True when a deposit should also approve, because an allowance is below its limit. */
export function fallsShortOfLimits(approval: OperatorApproval, limits: ApprovalLimits): boolean {
  return (
    !approval.isApproved ||
    approval.rateAllowance < limits.ratePerEpoch ||
    approval.lockupAllowance * 100n < limits.lockup * lockupLeftAtDepositPercent ||
    approval.maxLockupPeriod < limits.lockupPeriodEpochs
  )
}

/**
 * The allowances that a deposit with approval grants. FilecoinPay sets all three at once, so an allowance above its limit is granted again
 * unchanged. A revoked approval starts from the limits.
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

/** Next step for the operator when an allowance is too low, as a sentence. */
export function approvalAdvice(
  reason: Exclude<ApprovalState, { approved: true }>['reason'],
  approval: OperatorApproval,
  limits: ApprovalLimits,
): string {
  if (reason === 'not_approved' || isBelowLimit(reason, approval, limits)) return 'Run svc wallet approve.'
  return `Raise ${settingOf[reason]} and run svc wallet approve.`
}

/** Next step for the operator when allowances are above the settings, as a sentence; undefined if none is. */
export function excessAdvice(approval: OperatorApproval, limits: ApprovalLimits): string | undefined {
  const excess: (keyof typeof settingOf)[] = []
  if (approval.rateAllowance > limits.ratePerEpoch) excess.push('rate_limited')
  if (approval.lockupAllowance > limits.lockup) excess.push('lockup_limited')
  if (approval.maxLockupPeriod > limits.lockupPeriodEpochs) excess.push('lockup_period_too_short')
  if (excess.length === 0) return undefined
  const inUse = loweredBelowUsage(approval, limits)
  if (inUse) return `Raise ${settingOf[inUse]}, which is below the current usage, and run svc wallet approve.`
  return `Run svc wallet approve to lower it to the settings, or raise ${excess.map((reason) => settingOf[reason]).join(', ')}.`
}

/** The allowance that an explicit approval would lower below its usage, so that new work would wait. */
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

/** True when the settings grant more than the allowance on chain. */
function isBelowLimit(reason: keyof typeof settingOf, approval: OperatorApproval, limits: ApprovalLimits): boolean {
  if (reason === 'rate_limited') return approval.rateAllowance < limits.ratePerEpoch
  if (reason === 'lockup_limited') return approval.lockupAllowance * 100n < limits.lockup * lockupLeftPercent
  return approval.maxLockupPeriod < limits.lockupPeriodEpochs
}
