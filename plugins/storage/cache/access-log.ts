import type { Clock, Database, Log } from '#kernel'
import { writeAccessTime } from './cache-store.ts'

/** A time that is newer by less than this is not worth a write. */
const resolutionMs = 60_000
const flushAfterMs = 15_000
const heldMax = 10_000
/** From here on the write does not wait for its time. */
const heldMany = heldMax / 2
const rowsPerWrite = 500

interface Access {
  /** The time in the row when it was read. */
  readonly storedMs: number
  readonly readMs: number
}

/** Notes when cached contents were read. Times are kept for a while and written together: a read never causes a write of its own. */
export class AccessLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #stop = new AbortController()
  #held = new Map<number, Access>()
  /** Of what is held: the wait for its write is over. */
  #hurry = new AbortController()
  /** What was written last, or is being written: known here until it is surely in the rows. */
  #written: ReadonlyMap<number, Access> = new Map()
  #isIncomplete = false
  #writing: Promise<boolean> = Promise.resolve(true)
  #flushing: Promise<void> | undefined

  constructor({ database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log }) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Reads happened that were not recorded, so the rows may say that something was read long ago when it was not. */
  get isIncomplete(): boolean {
    return this.#isIncomplete
  }

  nowMs(): number {
    return this.#clock.now()
  }

  /** `storedMs`: the time its row has now. */
  touch(contentId: number, storedMs: number): void {
    if (this.#stop.signal.aborted) return
    if (this.#held.size >= heldMax && !this.#held.has(contentId)) {
      this.#isIncomplete = true
      return
    }
    this.#held.set(contentId, { storedMs, readMs: this.nowMs() })
    if (this.#held.size === heldMany) this.#hurry.abort()
    this.#flushing ??= this.#flushLater()
  }

  /** Was it read at that moment or later? True answers are sure for moments that are not long past. */
  wasReadSince(contentId: number, sinceMs: number): boolean {
    const access = this.#held.get(contentId) ?? this.#written.get(contentId)
    return access !== undefined && access.readMs >= sinceMs
  }

  /** Writes what is held. Returns whether every read up to now is recorded. */
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
      await this.#clock.sleep(flushAfterMs, AbortSignal.any([this.#stop.signal, this.#hurry.signal]))
    } catch {
      // Stopped, or there is much: what is held is written now.
    }
    const isWritten = await this.flush()
    this.#flushing = (isWritten && this.#held.size === 0) || this.#stop.signal.aborted ? undefined : this.#flushLater()
  }

  async #writeHeld(): Promise<boolean> {
    const held = this.#held
    this.#held = new Map()
    this.#hurry = new AbortController()
    this.#written = held
    this.#isIncomplete = false
    const due = [...held].filter(([, { storedMs, readMs }]) => readMs - storedMs >= resolutionMs)
    try {
      for (let from = 0; from < due.length; from += rowsPerWrite) await this.#write(due.slice(from, from + rowsPerWrite))
    } catch (error) {
      this.#held = new Map([...held, ...this.#held])
      // However much there is now: what just failed is not tried again before its time.
      this.#hurry = new AbortController()
      this.#isIncomplete = true
      this.#log.warn('access times of cached contents could not be written; they are kept', { error })
    }
    return !this.#isIncomplete
  }

  #write(accesses: readonly (readonly [contentId: number, access: Access])[]): Promise<void> {
    return this.#database.write((tx) => {
      for (const [contentId, { readMs }] of accesses) writeAccessTime(tx, contentId, readMs)
    })
  }
}
