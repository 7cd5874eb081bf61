/** The operator's limits in the chain's units. */
import { type ApprovalLimits, loweredBelowUsage, type OperatorApproval, settingOf } from './approval-policy.ts'
import { epochsPerMonth } from './cost-policy.ts'
import type { FeeLimits } from './fee-limits.ts'

export interface SpendingLimits {
  readonly fees: FeeLimits
  readonly approval: ApprovalLimits
}

export interface SpendingSettings {
  readonly max_fee_per_gas_nanofil: number
  readonly max_transaction_fee_millifil: number
  readonly approved_usdfc_per_month: number
  readonly approved_lockup_usdfc: number
  readonly approved_lockup_days: number
}

const nano = 10n ** 9n
const milli = 10n ** 15n
const whole = 10n ** 18n
const daySeconds = 86_400

export function toSpendingLimits(settings: SpendingSettings, { epochSeconds }: { readonly epochSeconds: number }): SpendingLimits {
  return {
    fees: {
      feePerGasMax: BigInt(settings.max_fee_per_gas_nanofil) * nano,
      totalMax: BigInt(settings.max_transaction_fee_millifil) * milli,
    },
    approval: {
      ratePerEpoch: (BigInt(settings.approved_usdfc_per_month) * whole) / epochsPerMonth,
      lockup: BigInt(settings.approved_lockup_usdfc) * whole,
      lockupPeriodEpochs: BigInt(Math.floor((settings.approved_lockup_days * daySeconds) / epochSeconds)),
    },
  }
}

/** Why the approval is not lowered to the limits, as a sentence for the operator; undefined where what is in use fits. */
export function refusalToLower(approval: OperatorApproval, limits: ApprovalLimits): string | undefined {
  const reason = loweredBelowUsage(approval, limits)
  if (!reason) return undefined
  const [used, of] = reason === 'rate_limited' ? [approval.rateUsage * epochsPerMonth, 'charges'] : [approval.lockupUsage, 'holds locked']
  // Rounded up, because the settings are whole USDFC.
  const least = (used + whole - 1n) / whole
  const unit = reason === 'rate_limited' ? 'USDFC per 30 days' : 'USDFC'
  return `The storage service ${of} up to ${least} ${unit} now, more than ${settingOf[reason]} allows, so new copies would wait. Nothing was sent. Set it to ${least} or more, then run svc wallet approve.`
}
