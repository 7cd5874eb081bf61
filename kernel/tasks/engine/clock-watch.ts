import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../log/log.ts'
import { boundTaskTimes, readClockMark, writeClockMark } from '../rows/clock-step-store.ts'
import { newLease } from '../rows/lease-times.ts'
import type { DueTimes } from '../task.ts'

interface ClockWatchDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly owner: string
  readonly leaseMs: number
  /** Due times in the plugins' own tables. */
  readonly dueTimes: readonly DueTimes[]
}

/** Smaller steps back are ignored: the delay is insignificant. */
const stepMsMin = 1000
/** Interval at which the wall clock is recorded, so that the next start can detect a step back larger than this. */
const markEveryMs = 60_000

/** Detects steps back of the wall clock, within this process and since the last one, and then makes all recorded times due now. */
export class ClockWatch {
  readonly #deps: ClockWatchDeps
  #lastMs: number | undefined
  #markedMs = 0

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps
  }

  /** Call before due times are compared with the clock. Rejects when the write fails. */
  async check(): Promise<void> {
    const { clock, database } = this.#deps
    this.#lastMs ??= this.#markedMs = await readClockMark(database.read)
    const nowMs = clock.now()
    if (nowMs <= this.#lastMs - stepMsMin) await this.#bound(this.#lastMs, nowMs)
    else if (nowMs - this.#markedMs >= markEveryMs) await this.mark()
    this.#lastMs = nowMs
  }

  /** Records the wall clock for the next start. */
  async mark(): Promise<void> {
    const { clock, database } = this.#deps
    const nowMs = clock.now()
    await database.write((tx) => writeClockMark(tx, nowMs))
    this.#markedMs = nowMs
  }

  async #bound(lastMs: number, nowMs: number): Promise<void> {
    const { database, log, owner, leaseMs, dueTimes } = this.#deps
    log.warn('the clock stepped back; all due times were reset to now', { stepMs: lastMs - nowMs })
    const lease = await newLease(database, leaseMs)
    await database.write(async (tx) => {
      await boundTaskTimes(tx, { nowMs, owner, lease })
      for (const { bound } of dueTimes) await bound(tx, nowMs)
      await writeClockMark(tx, nowMs)
    })
    this.#markedMs = nowMs
  }
}
