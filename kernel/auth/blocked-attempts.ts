import type { Clock } from '../clock.ts'
import { signInLimits } from './rate-limit.ts'

interface Count {
  readonly sinceMs: number
  attempts: number
}

/**
 * Counts blocked attempts, so that a blocked client cannot fill the log: of those within the length of a block, the first, the tenth, the
 * hundredth and so on are written.
 */
export class BlockedAttempts {
  readonly #clock: Pick<Clock, 'now'>
  /** Oldest first. */
  readonly #counts = new Map<string, Count>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Counts one of the client's. Returns its number where it is to be written. */
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
