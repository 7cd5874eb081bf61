import type { Clock, Database, Log } from '#kernel'
import { writeAccessTime } from './cache-store.ts'

/** A time that is newer by less than this is not worth a write. */
const resolutionMs = 60_000
const flushAfterMs = 15_000
const heldMax = 10_000
const rowsPerWrite = 500

/** Notes when cached contents were read. Times are kept for a while and written together: a read never causes a write of its own. */
export class AccessLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #stop = new AbortController()
  #times = new Map<number, number>()
  #flushing: Promise<void> | undefined

  constructor({ database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log }) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** `storedMs`: the time its row has now. */
  touch(contentId: number, storedMs: number): void {
    const nowMs = this.#clock.now()
    if (nowMs - storedMs < resolutionMs || this.#stop.signal.aborted) return
    // Losing a time costs at most an eviction that was not the best one.
    if (this.#times.size >= heldMax) return
    this.#times.set(contentId, nowMs)
    this.#flushing ??= this.#flushLater()
  }

  /** The last time known, written or not. */
  lastAccessMs(contentId: number): number | undefined {
    return this.#times.get(contentId)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#flushing
  }

  async #flushLater(): Promise<void> {
    try {
      await this.#clock.sleep(flushAfterMs, this.#stop.signal)
    } catch {
      // Stopped: what is held is written now.
    }
    this.#flushing = undefined
    const times = [...this.#times]
    this.#times = new Map()
    try {
      for (let from = 0; from < times.length; from += rowsPerWrite) await this.#write(times.slice(from, from + rowsPerWrite))
    } catch (error) {
      // Reads go on without the times: they only order evictions.
      this.#log.warn('access times of cached contents could not be written', { error })
    }
  }

  #write(times: readonly (readonly [contentId: number, accessedAtMs: number])[]): Promise<void> {
    return this.#database.write((tx) => {
      for (const [contentId, accessedAtMs] of times) writeAccessTime(tx, contentId, accessedAtMs)
    })
  }
}
