import { connectionLimits as limits } from './connection-limits.ts'

/**
 * Starts the requests of connections without credentials, a few in each turn of the event loop: Node accepts one connection in a turn, so
 * that a new client waits for as many turns as there are connections before its own.
 */
export class Turns {
  /** Oldest first. */
  readonly #waiting = new Set<() => void>()
  #started = 0
  #isScheduled = false

  /** Starts at once if this turn has room. */
  take(start: () => void): void {
    if (this.#started < limits.unauthenticatedStartsPerTurn && this.#waiting.size === 0) {
      this.#started += 1
      this.#schedule()
      start()
      return
    }
    this.#waiting.add(start)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isScheduled = false
    this.#started = 0
    for (const start of this.#waiting) {
      if (this.#started === limits.unauthenticatedStartsPerTurn) break
      this.#waiting.delete(start)
      this.#started += 1
      start()
    }
    if (this.#started > 0) this.#schedule()
  }
}
