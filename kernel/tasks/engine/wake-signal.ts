import type { Clock } from '../../core/clock.ts'
import { sleepUnless } from './sleep-unless.ts'

/** One for all: without a reason, `abort` makes an exception with a stack. */
const notified = new Error('the loop was notified')

/** Lets one loop sleep until a time or a notification. A notification between two sleeps cancels the next sleep, unless `reset` comes between. */
export class WakeSignal {
  readonly #clock: Clock
  #isNotified = false
  #sleep: AbortController | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  notify(): void {
    this.#isNotified = true
    this.#sleep?.abort(notified)
  }

  /** Forgets earlier notifications. */
  reset(): void {
    this.#isNotified = false
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isNotified) {
      this.#sleep = new AbortController()
      await sleepUnless(this.#clock, ms, this.#sleep.signal)
      this.#sleep = undefined
    }
    this.#isNotified = false
  }
}
