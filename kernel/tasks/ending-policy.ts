import type { Outcome } from './outcome.ts'

/** What is written at the end of a run. */
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
  /** The process stops or lost the lease: as if the run had never begun. */
  | { readonly kind: 'hand-back' }

/** A wait never ends sooner than this, so that a task that keeps waiting for the past cannot occupy the engine. */
export const waitMsMin = 100

/** A run that said what happened. Throws when it said nothing that can be understood. */
export function endAfterOutcome(
  outcome: Outcome,
  { nowMs, hasProgressed }: { readonly nowMs: number; readonly hasProgressed: boolean },
): Ending {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done' }
    case 'wait': {
      // I-08: a reason and a time; no attempt, no error.
      const untilMs = Math.max(Math.ceil(outcome.untilMs), nowMs + waitMsMin)
      if (!Number.isSafeInteger(untilMs))
        throw new Error(`the task waits for '${outcome.reason}' until ${outcome.untilMs}, which is no time`)
      return { kind: 'wait', reason: outcome.reason, message: outcome.message ?? null, untilMs, hasProgressed }
    }
    case 'fail':
      return { kind: 'fail', code: outcome.code, message: outcome.message, isRetryable: outcome.retryable }
    default:
      throw new Error('the task returned no outcome: it must return done(), wait() or fail()')
  }
}

export interface FaultyRun {
  readonly fault: { readonly code: string; readonly message: string }
  /** In a row without progress, this one included. */
  readonly failures: number
  readonly attemptsMax: number
  /** When the next attempt may start. */
  readonly runAtMs: number
}

/** A run that threw: tried again after a pause, until its attempts are used up. */
export function endAfterFault({ fault, failures, attemptsMax, runAtMs }: FaultyRun): Ending {
  if (failures < attemptsMax) return { kind: 'retry', ...fault, runAtMs, failures }
  return { kind: 'fail', code: 'attempts_exhausted', message: fault.message, isRetryable: true }
}
