/** When a copy in doubt is denied, when it is checked again, and when its piece is lost. */
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

/** A provider may restore a piece that the chain still has, and is paid for it: the piece is lost after so long, of failed checks alone. */
export const lostAfterMs = 24 * 60 * 60_000

/** Times that a piece is stored again before a check must find it intact: a provider that loses it again is not paid for it. */
const refillsMax = 2

interface DeniedCopy extends Doubt {
  readonly refills: number
  /** What the chain says about the piece now. */
  readonly chainState: 'live' | 'gone' | 'unknowable'
}

/**
 * Whether the piece of a copy whose check failed again is lost. The chain was asked each time: while it cannot tell, or its data set has
 * ended, it is not. A piece that the chain does not have either cannot come back.
 */
export const isLost = ({ deniedAtMs, firstFailedAtMs, refills, chainState }: DeniedCopy, nowMs: number): boolean =>
  deniedAtMs !== null &&
  refills < refillsMax &&
  firstFailedAtMs !== null &&
  (chainState === 'gone' || (chainState === 'live' && nowMs - firstFailedAtMs >= lostAfterMs))
