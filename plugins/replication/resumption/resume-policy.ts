/** When work without a task is enqueued again (I-43). */
import type { Resumption } from './resumption-store.ts'

const minuteMs = 60_000
const firstPauseMs = 10 * minuteMs
const pauseMsMax = 6 * 60 * minuteMs
/** After the last pause. Then the work has ended, or its task waits. */
export const recordKeptMs = 4 * pauseMsMax

/** Pause after the given number of tries: doubles up to six hours. */
export const pauseAfterMs = (tries: number): number => Math.min(firstPauseMs * 2 ** Math.max(0, tries - 1), pauseMsMax)

interface Situation {
  readonly last: Resumption | undefined
  /** An operator has not dismissed the failure of its last task. */
  readonly isFailed: boolean
  /** The retry of its failed task may pay a second time, which only an operator may decide. */
  readonly mayPayAgain: boolean
}

/**
 * A first failure waits for an operator, who is shown it. A dismissed one does not: the work is enqueued again, and from then on also
 * retried after failures, with growing pauses.
 */
export function isDue({ last, isFailed, mayPayAgain }: Situation, nowMs: number): boolean {
  if (isFailed && (last === undefined || mayPayAgain)) return false
  return last === undefined || last.nextAtMs <= nowMs
}
