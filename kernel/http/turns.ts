import { connectionLimits as limits } from './connection-limits.ts'

/**
 * Starts the requests of connections without credentials, a few in each turn of the event loop: Node accepts one connection in a turn, so
 * that a new client waits for as many turns as there are connections before its own.
 */
export class Turns {
  /** Oldest first. */
  readonly #waiting = new Set<() => void>()

  #isScheduled = false

  take(start: () => void): void {
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
    let count = 0
    for (const start of this.#waiting) {
      if (count === limits.unauthenticatedStartsPerTurn) break
      this.#waiting.delete(start)
      start()
      count += 1
    }
    if (this.#waiting.size > 0) this.#schedule()
  }
}
