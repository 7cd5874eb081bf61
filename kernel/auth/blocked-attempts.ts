import type { Clock } from '../core/clock.ts'
import { signInLimits } from './rate-limit.ts'

interface Count {
  readonly sinceMs: number
  attempts: number
}

/**
 * Counts blocked attempts, so that a blocked client cannot fill the log: within one block only the first, tenth, hundredth and so on
 * are logged.
 */
export class BlockedAttempts {
  readonly #clock: Pick<Clock, 'now'>
  /** Oldest first. */
  readonly #counts = new Map<string, Count>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Counts an attempt of the client. Returns its number when it must be logged. */
  count(client: string): number | undefined {
    const nowMs = this.#clock.now()
    const current = this.#counts.get(client)
    const count = current && nowMs - current.sinceMs <= signInLimits.blockMs ? current : this.#begin(client, nowMs)
    count.attempts++
    return Number.isInteger(Math.log10(count.attempts)) ? count.attempts : undefined
  }

  #begin(client: string, nowMs: number): Count {
    this.#counts.delete(client)
    const oldest = this.#counts.keys().next()
    if (this.#counts.size >= signInLimits.addressesMax && !oldest.done) this.#counts.delete(oldest.value)
    const count = { sinceMs: nowMs, attempts: 0 }
    this.#counts.set(client, count)
    return count
  }
}
