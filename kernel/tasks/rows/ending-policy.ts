import type { Outcome } from '../outcome.ts'

/** The change of the task row at the end of a run. */
export type Ending =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'wait'
      readonly reason: string
      readonly message: string | null
      readonly untilMs: number
      readonly hasProgressed: boolean
    }
  | { readonly kind: 'retry'; readonly code: string; readonly message: string; readonly runAtMs: number; readonly failures: number }
  | { readonly kind: 'fail'; readonly code: string; readonly message: string; readonly isRetryable: boolean }
  /** The process stops or lost the lease: the run does not count. */
  | { readonly kind: 'hand-back' }

/** Minimum wait, so that a task that keeps waiting for a past time cannot occupy the engine. */
export const waitMsMin = 100

/** The ending of a run that returned. Throws on an invalid outcome. */
export function endAfterOutcome(
  outcome: Outcome,
  { nowMs, hasProgressed }: { readonly nowMs: number; readonly hasProgressed: boolean },
): Ending {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done' }
    case 'wait': {
      // I-08: a wait uses no attempt and sets no error.
      const untilMs = Math.max(Math.ceil(outcome.untilMs), nowMs + waitMsMin)
      if (!Number.isSafeInteger(untilMs))
        throw new Error(`the task waits for '${outcome.reason}' until ${outcome.untilMs}, which is not a time`)
      const message = outcome.message === undefined ? null : withoutNul(outcome.message)
      return { kind: 'wait', reason: outcome.reason, message, untilMs, hasProgressed }
    }
    case 'fail':
      return { kind: 'fail', code: outcome.code, message: withoutNul(outcome.message), isRetryable: outcome.retryable }
    default:
      throw new Error('the task returned no outcome: it must return done(), wait() or fail()')
  }
}

interface FaultyRun {
  readonly fault: { readonly code: string; readonly message: string }
  /** Consecutive failures without progress, including this one. */
  readonly failures: number
  readonly attemptsMax: number
  /** When the next attempt may start. */
  readonly runAtMs: number
}

/** The ending of a run that threw: a retry after a pause, until its attempts are used up. */
export function endAfterFault({ fault, failures, attemptsMax, runAtMs }: FaultyRun): Ending {
  if (failures < attemptsMax) return { kind: 'retry', ...fault, runAtMs, failures }
  return { kind: 'fail', code: 'attempts_exhausted', message: fault.message, isRetryable: true }
}

/** PostgreSQL has no text with NUL. Messages may quote the answer of a provider or a chain node, which can contain it. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}
