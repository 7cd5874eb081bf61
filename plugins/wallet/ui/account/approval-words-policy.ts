/** The approval of the storage service in words. Pure; amounts are base units of USDFC. */
import type { Wallet } from './runway-policy.ts'

type Approval = NonNullable<NonNullable<Wallet['contracts']>['approval']>

const daySeconds = 86_400
const monthDays = 30n
/** Larger allowances are unlimited: no token has as many units. */
const unlimited = 2n ** 128n
/** A use from which an operator is warned, as readiness does. */
const nearlyPercent = 90n

export interface Allowance {
  readonly used: bigint
  readonly allowed: bigint
  readonly isUnlimited: boolean
  readonly tone: 'success' | 'warning' | 'danger'
}

/** Amounts per month and amounts locked. */
export function readAllowances(approval: Approval, epochSeconds: number): { readonly rate: Allowance; readonly lockup: Allowance } {
  const month = BigInt(Math.round(daySeconds / epochSeconds)) * monthDays
  return {
    rate: toAllowance(BigInt(approval.rate_usage) * month, BigInt(approval.rate_allowance) * month),
    lockup: toAllowance(BigInt(approval.lockup_usage), BigInt(approval.lockup_allowance)),
  }
}

function toAllowance(used: bigint, allowed: bigint): Allowance {
  const isNearly = used > 0n && used * 100n >= allowed * nearlyPercent
  return { used, allowed, isUnlimited: allowed >= unlimited, tone: used > allowed ? 'danger' : isNearly ? 'warning' : 'success' }
}

/** Whether new work would wait for an approval. */
export const lacksApproval = (approval: Approval): boolean =>
  !approval.approved ||
  BigInt(approval.rate_usage) > BigInt(approval.rate_allowance) ||
  BigInt(approval.lockup_usage) > BigInt(approval.lockup_allowance)
