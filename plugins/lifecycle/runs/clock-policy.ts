/** Whether the clock of the machine is believed: a clock that was set ahead would delete objects early. */

/** Steps up to this size are normal: a restart, a busy machine, the correction of a clock. */
const stepMsMax = 2 * 3_600_000
/** Machines that are off every night have gaps up to this size. */
const gapMsMax = 2 * 86_400_000
const restAfterStepMs = 3_600_000
const restAfterGapMs = 86_400_000

/** Whether the clock is ahead of that of the database, which may be of another machine: then one of them is wrong. */
export const isAhead = (nowMs: number, databaseNowMs: number): boolean => nowMs - databaseNowMs > stepMsMax

export interface SeenClock {
  readonly seenMs: number
  /** No rule acts before. */
  readonly restsUntilMs: number
}

/** Call every few minutes. Time that passed unseen, as while svc was off or when the clock was set ahead, makes the rules rest. */
export function seeClock(before: SeenClock | undefined, nowMs: number): SeenClock {
  if (!before) return { seenMs: nowMs, restsUntilMs: 0 }
  const gapMs = nowMs - before.seenMs
  // A clock that was set back is the correction of one that was ahead.
  if (gapMs < -stepMsMax) return { seenMs: nowMs, restsUntilMs: 0 }
  if (gapMs <= stepMsMax) return { seenMs: nowMs, restsUntilMs: before.restsUntilMs }
  const restsUntilMs = nowMs + (gapMs > gapMsMax ? restAfterGapMs : restAfterStepMs)
  return { seenMs: nowMs, restsUntilMs: Math.max(before.restsUntilMs, restsUntilMs) }
}
