import type { Clock } from '../core/clock.ts'

export const accountLimits = {
  /** Wrong passwords from all clients together that cause no delay. */
  failuresFree: 100,
  /** Time in ms after which one of them is forgotten. */
  forgetMs: 6000,
  /** Added delay for each further one, up to the maximum. */
  delayStepMs: 100,
  delayMsMax: 3000,
} as const

const failuresMax = accountLimits.failuresFree + accountLimits.delayMsMax / accountLimits.delayStepMs

/**
 * Slows password guessing from many addresses, which per-address limits do not catch. It only delays: locking the account would let
 * anyone lock the operator out. A success does not reset it, because it may come from another client than the guesses.
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

  /** Delay in ms before the next attempt's password is checked. */
  delayMs(): number {
    this.#forget()
    const excess = Math.max(0, Math.ceil(this.#failures - accountLimits.failuresFree))
    return Math.min(excess * accountLimits.delayStepMs, accountLimits.delayMsMax)
  }

  #forget(): void {
    const nowMs = this.#clock.now()
    // After the clock is set back nothing is forgotten.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs)
    this.#failures = Math.max(0, this.#failures - passedMs / accountLimits.forgetMs)
    this.#countedAtMs = nowMs
  }
}
