/** When a copy in doubt stops to count as durable, and when it is checked again. */

/** Failed checks of the whole piece, and the time from the first to the last of them. A provider may answer 404 once, during a restart. */
const failuresMin = 2
export const failuresApartMs = 10 * 60_000

/** Until a copy that does not count is checked again: twice as long each time. */
const recheckMs = { first: 10 * 60_000, max: 24 * 60 * 60_000 } as const
/** A provider that does not answer says nothing: the check is repeated. */
export const unreachableMs = 15 * 60_000

interface Doubt {
  readonly failures: number
  readonly firstFailedAtMs: number | null
  readonly deniedAtMs: number | null
}

/** Whether this failed check is the one that denies the copy, unless the chain cannot be asked. */
export const isConfirmed = ({ failures, firstFailedAtMs, deniedAtMs }: Doubt, nowMs: number): boolean =>
  deniedAtMs === null && failures + 1 >= failuresMin && firstFailedAtMs !== null && nowMs - firstFailedAtMs >= failuresApartMs

/** `checks`: failed ones since the copy was denied. */
export const nextCheckAtMs = ({ isDenied, checks, nowMs }: { isDenied: boolean; checks: number; nowMs: number }): number =>
  nowMs + (isDenied ? Math.min(recheckMs.first * 2 ** Math.min(checks, 20), recheckMs.max) : failuresApartMs)
