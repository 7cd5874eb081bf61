import type { Clock } from '../clock.ts'

export const accountLimits = {
  /** Wrong passwords from all clients together that do not slow the next answer. */
  failuresFree: 100,
  /** One of them is forgotten after this long. */
  forgetMs: 6000,
  /** Each further one delays the next answer by this, up to the longest delay. */
  delayStepMs: 100,
  delayMsMax: 3000,
} as const

const failuresMax = accountLimits.failuresFree + accountLimits.delayMsMax / accountLimits.delayStepMs

/**
 * Slows guessing from many addresses, which the limit of each address does not see. It only delays: a lock of the account would let
 * anybody lock the operator out. A success forgives nothing here, because it may come from another client than the guesses.
 */
export class AccountBudget {
  readonly #clock: Pick<Clock, 'now'>
  #failures = 0
  #countedAtMs: number

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#countedAtMs = clock.now()
  }

  countFailure(): void {
    this.#forget()
    this.#failures = Math.min(this.#failures + 1, failuresMax)
  }

  /** How long the next attempt waits before its password is checked. */
  delayMs(): number {
    this.#forget()
    const excess = Math.max(0, Math.ceil(this.#failures - accountLimits.failuresFree))
    return Math.min(excess * accountLimits.delayStepMs, accountLimits.delayMsMax)
  }

  #forget(): void {
    const nowMs = this.#clock.now()
    // A clock that was set back forgets nothing, instead of remembering more.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs)
    this.#failures = Math.max(0, this.#failures - passedMs / accountLimits.forgetMs)
    this.#countedAtMs = nowMs
  }
}
