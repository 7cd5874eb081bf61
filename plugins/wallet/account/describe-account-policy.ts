/** The wallet as the Admin API shows it. Amounts stay whole numbers; digits are their only form outside this process. */
import { formatPreciseTime } from '#kernel/system'
import type { OperatorApproval } from '../chain/approval-policy.ts'
import { type SettledAccount, withdrawable } from '../chain/cost-policy.ts'
import type { Read } from '../chain/readiness-reads.ts'
import type { PaymentAccount, WalletSummary } from './account-api.ts'

const daySeconds = 86_400
const monthDays = 30n
const boughtDays = 90n
/** Epochs between the look at the wallet and the request to withdraw what it shows. */
const aheadEpochs = 20n
/** The last time that RFC 3339 can express. */
const timeMsMax = Date.UTC(9999, 11, 31)

interface Shown {
  readonly epochSeconds: number
  readonly nowMs: number
}

export function describeAccount(account: SettledAccount, { epochSeconds, nowMs }: Shown): PaymentAccount {
  const { funds, available, debt, lockupCurrent, lockupRate, lockupLastSettledAt, runwayEpochs, epoch } = account
  const perDay = lockupRate * BigInt(Math.round(daySeconds / epochSeconds))
  return {
    funds: String(funds),
    available_funds: String(available),
    withdrawable_funds: String(withdrawable(account, aheadEpochs)),
    lockup_current: String(lockupCurrent),
    lockup_rate: String(lockupRate),
    lockup_rate_per_day: String(perDay),
    lockup_rate_per_month: String(perDay * monthDays),
    lockup_last_settled_at: String(lockupLastSettledAt),
    funded_until_epoch: runwayEpochs === null ? null : String(epoch + runwayEpochs),
    ...(runwayEpochs !== null && describeRunway(runwayEpochs, { epochSeconds, nowMs })),
    no_active_spend: lockupRate === 0n,
    deposit_for_90_days: String(lockupRate === 0n ? 0n : debt + perDay * boughtDays),
  }
}

function describeRunway(epochs: bigint, { epochSeconds, nowMs }: Shown) {
  const seconds = Math.min(Math.floor(Number(epochs) * epochSeconds), Number.MAX_SAFE_INTEGER)
  const untilMs = nowMs + seconds * 1000
  return {
    ...(untilMs <= timeMsMax && { funded_until_time: formatPreciseTime(untilMs) }),
    runway_seconds: seconds,
    runway_days: Math.floor(seconds / daySeconds),
  }
}

export const describeApproval = ({ isApproved, rateAllowance, lockupAllowance, rateUsage, lockupUsage }: OperatorApproval) => ({
  approved: isApproved,
  rate_allowance: String(rateAllowance),
  lockup_allowance: String(lockupAllowance),
  rate_usage: String(rateUsage),
  lockup_usage: String(lockupUsage),
})

type Trouble = NonNullable<NonNullable<WalletSummary['partial_errors']>['nonce']>

/** The reasons of the reads without an answer; undefined when each has one. */
export function troubles(
  reads: Readonly<Record<string, Read<unknown> | { readonly isKnown: false; readonly because: Trouble }>>,
): WalletSummary['partial_errors'] {
  const failed = Object.entries(reads).flatMap(([name, read]) => (read.isKnown ? [] : [[name, read.because]]))
  return failed.length === 0 ? undefined : Object.fromEntries(failed)
}
