import { type ApprovalLimits, loweredBelowUsage, type OperatorApproval, settingOf } from './approval-policy.ts'
import { epochsPerMonth } from './cost-policy.ts'
import type { FeeLimits } from './fee-limits.ts'

interface SpendingLimits {
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

/** Converts the settings to units of the chain. */
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

/** Why an approval must not be lowered to the limits, as a sentence for the operator; undefined if the usage is within the limits. */
export function whyNotLowered(approval: OperatorApproval, limits: ApprovalLimits): string | undefined {
  const reason = loweredBelowUsage(approval, limits)
  if (!reason) return undefined
  const [used, verb] = reason === 'rate_limited' ? [approval.rateUsage * epochsPerMonth, 'charges'] : [approval.lockupUsage, 'locks']
  // Rounded up, because the settings are whole USDFC.
  const least = (used + whole - 1n) / whole
  const unit = reason === 'rate_limited' ? 'USDFC per 30 days' : 'USDFC'
  return `The storage service ${verb} up to ${least} ${unit} now, more than ${settingOf[reason]} allows, so new copies would wait. Nothing was sent. Set it to ${least} or more, then run svc wallet approve.`
}
