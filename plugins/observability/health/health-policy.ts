/** Signals and pages of the lists of providers and of data sets. Pure. */
import { formatPreciseTime } from '#kernel/system'
import type { HealthFreshness, HealthLevel, HealthSignal, HealthStatus, ReasonCode } from './health-api.ts'

/** What was found when something was checked. */
export interface Observation {
  readonly status: HealthStatus
  /** Empty when available. */
  readonly reasonCodes: readonly ReasonCode[]
  readonly lastError?: string | undefined
  /** Null: never checked. */
  readonly checkedAtMs: number | null
}

/** The time and the configured interval of the checks. */
export interface HealthTime {
  readonly nowMs: number
  readonly intervalMs: number
}

/** A row of a list. `show` is called only for the rows of the page. */
export interface HealthRow<T> {
  readonly observation: Observation
  show(signal: HealthSignal): T
}

interface HealthPageQuery {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly status?: HealthStatus | undefined
}

const pageSizes = { usual: 100, max: 500 } as const
/** A result is stale when it is older than this many intervals. */
const staleIntervals = 2

export function toSignal(observation: Observation, time: HealthTime): HealthSignal {
  const { status, reasonCodes, lastError, checkedAtMs } = observation
  const freshness = toFreshness(checkedAtMs, time)
  return {
    status,
    level: levelOf(status, freshness),
    reason_codes: [...reasonCodes],
    ...(lastError === undefined ? {} : { last_error: lastError }),
    freshness,
  }
}

/** `emptyCheckedAtMs`: the time of the last round of checks, for a list without rows. */
export function toPage<T>(
  rows: readonly HealthRow<T>[],
  query: HealthPageQuery,
  { emptyCheckedAtMs, ...time }: HealthTime & { readonly emptyCheckedAtMs: number | null },
) {
  const { status, offset = 0 } = query
  const limit = Math.min(query.limit || pageSizes.usual, pageSizes.max)
  const matching = status === undefined ? rows : rows.filter(({ observation }) => observation.status === status)
  const counts = { available: 0, degraded: 0, unavailable: 0, unknown: 0 }
  for (const { observation } of matching) counts[observation.status] += 1
  const freshness = toFreshness(matching.length === 0 ? emptyCheckedAtMs : firstCheck(matching), time)
  return {
    items: matching.slice(offset, offset + limit).map(({ observation, show }) => show(toSignal(observation, time))),
    summary: { total: matching.length, ...counts, reasons: countReasons(matching) },
    summary_signal: { level: levelOf(worst(counts), freshness), freshness },
    total: matching.length,
    limit,
    offset,
  }
}

const worstFirst = ['unavailable', 'unknown', 'degraded', 'available'] as const satisfies readonly HealthStatus[]

function countReasons(rows: readonly HealthRow<unknown>[]) {
  const counted = new Map<string, { readonly status: HealthStatus; readonly reason_code: ReasonCode; count: number }>()
  for (const { observation } of rows) {
    for (const reason_code of new Set(observation.reasonCodes)) {
      const { status } = observation
      const key = `${status} ${reason_code}`
      const entry = counted.get(key) ?? { status, reason_code, count: 0 }
      entry.count += 1
      counted.set(key, entry)
    }
  }
  return [...counted.values()].sort((a, b) => worstFirst.indexOf(a.status) - worstFirst.indexOf(b.status) || b.count - a.count)
}

/** A check in the future means that the clock stepped back. */
export const isStale = (checkedAtMs: number, { nowMs, intervalMs }: HealthTime): boolean =>
  Math.abs(nowMs - checkedAtMs) > staleIntervals * intervalMs

function toFreshness(checkedAtMs: number | null, time: HealthTime): HealthFreshness {
  if (checkedAtMs === null) return { stale: true, warnings: ['no_state_recorded'] }
  const stale = isStale(checkedAtMs, time)
  return { last_checked_at: formatPreciseTime(checkedAtMs), stale, warnings: stale ? ['stale_state'] : [] }
}

/** Null when a row was never checked. */
const firstCheck = (rows: readonly HealthRow<unknown>[]): number | null =>
  rows.reduce<number | null>(
    (first, { observation: { checkedAtMs } }) => (first === null || checkedAtMs === null ? null : Math.min(first, checkedAtMs)),
    Number.POSITIVE_INFINITY,
  )

function levelOf(status: HealthStatus, { warnings }: HealthFreshness): HealthLevel {
  if (status === 'unavailable') return 'blocking'
  return status === 'available' && warnings.length === 0 ? 'ok' : 'warning'
}

const worst = (counts: Readonly<Record<HealthStatus, number>>): HealthStatus =>
  worstFirst.find((status) => counts[status] > 0) ?? 'available'
