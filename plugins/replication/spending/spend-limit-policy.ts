/** Judges the limits of what a day and a month may cost. Amounts in 10^-18 USDFC. */
import type { CostPolicy } from '#plugins/wallet'
import type { SpendUse } from '../contract.ts'

const dayMs = 86_400_000

export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/** The UTC day and month that contain a time. */
export function periodsAt(nowMs: number): Readonly<Record<SpendUse['period'], Period>> {
  const date = new Date(nowMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const dayStart = Math.floor(nowMs / dayMs) * dayMs
  return {
    daily: { startMs: dayStart, endMs: dayStart + dayMs },
    monthly: { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) },
  }
}

export interface Planned {
  readonly fees: bigint
  readonly ratePerEpoch: bigint
}

/** The first limit that the planned work would exceed, as a sentence for operators; undefined if none. */
export function whyAboveLimit(
  uses: readonly SpendUse[],
  planned: Planned,
  {
    epochsPerDay,
    epochsPerMonth,
    formatUsdfc,
    roundUpUsdfc,
  }: Pick<CostPolicy, 'epochsPerDay' | 'epochsPerMonth' | 'formatUsdfc' | 'roundUpUsdfc'>,
): string | undefined {
  for (const { period, limit, fees, storage, endsAtMs } of uses) {
    if (limit === undefined) continue
    const setting = `chain.spend_limit_${period}`
    if (storage === undefined) return `the payment account cannot be read, so ${setting} cannot be checked`
    const added = planned.fees + planned.ratePerEpoch * (period === 'daily' ? epochsPerDay : epochsPerMonth)
    const used = fees + storage
    if (used + added <= limit) continue
    const shown = (amount: bigint) => formatUsdfc(roundUpUsdfc(amount))
    return (
      `${setting} is ${formatUsdfc(limit)} USDFC, of which ${shown(used)} are used, and this work needs ${shown(added)}; ` +
      `it continues when the limit is raised, or after ${new Date(endsAtMs).toISOString()} if the fees of the period reached it`
    )
  }
  return undefined
}
