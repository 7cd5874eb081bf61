/** What a replacement costs, as a note before it is confirmed. */
import type { CostEstimateAnswer } from '#plugins/costs'
import type { CostPolicy } from '#plugins/wallet'

type Amounts = Pick<CostPolicy, 'formatUsdfc' | 'roundUpUsdfc'>

const usdfc = (amount: string, { formatUsdfc, roundUpUsdfc }: Amounts): string => `${formatUsdfc(roundUpUsdfc(BigInt(amount)))} USDFC`

const runway = ({ days, level }: CostEstimateAnswer['runway_before']): string =>
  level === 'unknown' ? 'unknown' : days === null ? 'no running costs' : `${days} days`

export function estimateText(estimate: CostEstimateAnswer, amounts: Amounts): string {
  const { fee, lock, rate, replaced, runway_before, runway_after, deposit_needed, waits_for } = estimate
  return [
    `New service: ${usdfc(fee, amounts)} of fees, ${usdfc(lock, amounts)} locked, ${usdfc(rate.per_month, amounts)} per month.`,
    ...(replaced
      ? [
          `Old service: ${usdfc(replaced.rate.per_month, amounts)} per month until its end, and paid for ${replaced.paid_days_after_end} days after it from its locked advance.`,
        ]
      : []),
    `Runway: ${runway(runway_before)} now, ${runway(runway_after)} while both are paid${replaced ? `, ${runway(replaced.runway_after_end)} after the end of the old service` : ''}.`,
    ...(deposit_needed === '0'
      ? []
      : [`The payment account lacks ${usdfc(deposit_needed, amounts)}: the replacement waits for a deposit.`]),
    ...(deposit_needed === '0' && waits_for !== undefined ? [`It would wait: ${waits_for}.`] : []),
  ].join('\n')
}
