/** When a copy in doubt is denied, and when it is checked again. */
import type { FailedResult } from './doubt-store.ts'

/** Failed checks of the whole piece, and the time from the first to the last of them. A provider may answer 404 once, during a restart. */
const failuresMin = 2
export const failuresApartMs = 10 * 60_000

/** Until a denied copy is checked again: twice as long each time. A missing piece costs no traffic; wrong bytes cost those of the piece. */
const recheckMs = { first: 60_000, max: { missing: 60 * 60_000, wrong_bytes: 24 * 60 * 60_000 } } as const
/** A provider that does not answer says nothing: the check is repeated after those of others. */
export const unreachableMs = 60_000

interface Doubt {
  readonly failures: number
  readonly firstFailedAtMs: number | null
  readonly deniedAtMs: number | null
}

interface FailedCheck {
  readonly isDenied: boolean
  readonly result: FailedResult
  /** Failed ones since the copy was denied. */
  readonly checks: number
  readonly nowMs: number
}

/** Whether this failed check is the one that denies the copy, unless the chain cannot be asked. */
export const isConfirmed = ({ failures, firstFailedAtMs, deniedAtMs }: Doubt, nowMs: number): boolean =>
  deniedAtMs === null && failures + 1 >= failuresMin && firstFailedAtMs !== null && nowMs - firstFailedAtMs >= failuresApartMs

/** Each round of checks asks again until a doubt ends or is confirmed, so that a provider that recovers is trusted within an interval. */
export const nextCheckAtMs = ({ isDenied, result, checks, nowMs }: FailedCheck): number =>
  nowMs + (isDenied ? Math.min(recheckMs.first * 2 ** Math.min(checks, 20), recheckMs.max[result]) : 0)
