/** How long a deposit lasts. Amounts are base units as decimal strings; ratios of BigInts, so no digit is lost before the division. */
import { type Numeric, toInteger } from '../kit/format/absent.ts'
import type { Tone } from '../kit/tone.ts'

export interface RunwayFacts {
  /** All that is deposited. */
  readonly balance: Numeric
  /** Part of it that is locked up and cannot be spent. */
  readonly lockup: Numeric
  /** Spent per day. */
  readonly perDay: Numeric
}

export const runwayMarks = [30, 90, 180] as const

/** Days until what can be spent is used up; undefined while nothing is spent. */
export function toRunwayDays({ balance, lockup, perDay }: RunwayFacts): number | undefined {
  const rate = toInteger(perDay) ?? 0n
  if (rate <= 0n) return undefined
  const free = (toInteger(balance) ?? 0n) - (toInteger(lockup) ?? 0n)
  return free <= 0n ? 0 : Number((free * 10n) / rate) / 10
}

/** Below 7 days danger, below 30 days warning. */
export function toRunwayTone(days: number | undefined): Tone {
  if (days === undefined) return 'neutral'
  if (days < 7) return 'danger'
  return days < 30 ? 'warning' : 'success'
}

/** Base units that a top-up to so many days takes; 0 when it lasts that long already. */
export function toTopUp({ balance, lockup, perDay }: RunwayFacts, days: number): bigint {
  const rate = toInteger(perDay) ?? 0n
  const missing = rate * BigInt(days) + (toInteger(lockup) ?? 0n) - (toInteger(balance) ?? 0n)
  return missing > 0n ? missing : 0n
}
