import type { Clock, Database, Log } from '#kernel'
import { writeAccessTimes } from '../../catalog/cached/cache-entry-store.ts'

/** A read less than this after the stored time is not written. */
export const accessResolutionMs = 60_000
const flushAfterMs = 15_000
const pendingMax = 10_000
/** Count at which the log is flushed at once. */
const flushAtPending = pendingMax / 2
const rowsPerWrite = 500

interface Access {
  /** Access time in the row at the time of the read. */
  readonly storedMs: number
  readonly readMs: number
}

/** Records when cached contents were read. Times are kept in memory and written in batches, so that a read causes no database write. */
export class AccessLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #stop = new AbortController()
  #pending = new Map<number, Access>()
  /** Aborted to flush before `flushAfterMs`. */
  #flushNow = new AbortController()
  /** The batch being written, or written last: still known here until its rows are committed. */
  #written: ReadonlyMap<number, Access> = new Map()
  #isIncomplete = false
  #writing: Promise<boolean> = Promise.resolve(true)
  #flushing: Promise<void> | undefined

  constructor({ database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log }) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Reads were dropped or not written, so the access times in the rows may be too old. */
  get isIncomplete(): boolean {
    return this.#isIncomplete
  }

  nowMs(): number {
    return this.#clock.now()
  }

  /** `storedMs`: the access time in the row. */
  touch(contentId: number, storedMs: number): void {
    if (this.#stop.signal.aborted) return
    if (this.#pending.size >= pendingMax && !this.#pending.has(contentId)) {
      this.#isIncomplete = true
      return
    }
    this.#pending.set(contentId, { storedMs, readMs: this.nowMs() })
    if (this.#pending.size === flushAtPending) this.#flushNow.abort()
    this.#flushing ??= this.#flushLater()
  }

  /** Whether the content was read at `sinceMs` or later. Reliable only for times since the last flush: older reads may have left the memory. */
  wasReadSince(contentId: number, sinceMs: number): boolean {
    const access = this.#pending.get(contentId) ?? this.#written.get(contentId)
    return access !== undefined && access.readMs >= sinceMs
  }

  /** Writes the pending times. Returns whether every read up to now is recorded. */
  flush(): Promise<boolean> {
    this.#writing = this.#writing.then(() => this.#writeHeld())
    return this.#writing
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#flushing
    await this.flush()
  }

  async #flushLater(): Promise<void> {
    try {
      await this.#clock.sleep(flushAfterMs, AbortSignal.any([this.#stop.signal, this.#flushNow.signal]))
    } catch {
      // Stopped, or many times are pending: flush now.
    }
    const isWritten = await this.flush()
    this.#flushing = (isWritten && this.#pending.size === 0) || this.#stop.signal.aborted ? undefined : this.#flushLater()
  }

  async #writeHeld(): Promise<boolean> {
    const pending = this.#pending
    this.#pending = new Map()
    this.#flushNow = new AbortController()
    this.#written = pending
    this.#isIncomplete = false
    const due = [...pending].filter(([, { storedMs, readMs }]) => readMs - storedMs >= accessResolutionMs)
    try {
      for (let from = 0; from < due.length; from += rowsPerWrite) await this.#write(due.slice(from, from + rowsPerWrite))
    } catch (error) {
      this.#pending = new Map([...pending, ...this.#pending])
      // After a failure wait the full interval, however many times are pending.
      this.#flushNow = new AbortController()
      this.#isIncomplete = true
      this.#log.warn('access times of cached contents not written; will retry', { error })
    }
    return !this.#isIncomplete
  }

  #write(accesses: readonly (readonly [contentId: number, access: Access])[]): Promise<void> {
    const reads = accesses.map(([contentId, { readMs }]) => ({ contentId, readMs }))
    return this.#database.write((tx) => writeAccessTimes(tx, reads), { rows: reads.length })
  }
}
