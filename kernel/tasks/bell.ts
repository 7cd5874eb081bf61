import type { Clock } from '../clock.ts'
import { sleepUnless } from './sleep-unless.ts'

/** Lets one loop sleep until a time or until somebody rings. A ring between two sleeps is not lost: it cancels the next one. */
export class Bell {
  readonly #clock: Clock
  #isRung = false
  #sleep: AbortController | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#isRung = true
    this.#sleep?.abort()
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isRung) {
      this.#sleep = new AbortController()
      await sleepUnless(this.#clock, ms, this.#sleep.signal)
      this.#sleep = undefined
    }
    this.#isRung = false
  }
}
