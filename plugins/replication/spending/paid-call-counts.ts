/** Counts paid calls without reading the days again whose calls cannot change any more. */
import { type Clock, type Database, type Reader, singleFlight } from '#kernel'
import type { PaidCalls } from '../contract.ts'
import { type CallsOfDay, callsOfDays, dayMs, firstChangeableMs } from './paid-calls-store.ts'

export interface PaidCallCounts {
  /** Counts the days that were closed since the last call. Before a transaction that asks `since`, so that it reads only recent calls. */
  closeDays(): Promise<void>
  /** Calls recorded since the beginning of a UTC day, also those of deleted buckets. */
  since(read: Reader, sinceMs: number): Promise<readonly PaidCalls[]>
}

/** Half a day after it was recorded, a reorganisation no longer reverts a call that landed. */
const restMs = dayMs / 2

/** The days before `day` are closed: each of their calls has landed, or never will. */
interface Closed {
  readonly day: number
  readonly calls: readonly CallsOfDay[]
}
const none: Closed = { day: 0, calls: [] }

export function createPaidCallCounts({
  database,
  clock,
}: {
  readonly database: Pick<Database, 'snapshot'>
  readonly clock: Clock
}): PaidCallCounts {
  let closed = none
  /** Counts from the beginning after the clock stepped back: a closed day may get calls again. */
  const usable = (): Closed => (closed.day * dayMs <= clock.now() - restMs ? closed : none)

  return {
    closeDays: singleFlight(async () => {
      const before = usable()
      if (clock.now() - restMs < (before.day + 1) * dayMs) return
      closed = await database.snapshot(async (read) => {
        const day = Math.floor(Math.min(clock.now() - restMs, await firstChangeableMs(read)) / dayMs)
        return day > before.day ? { day, calls: [...before.calls, ...(await callsOfDays(read, before.day, day))] } : before
      })
    }),
    async since(read, sinceMs) {
      const { day, calls } = usable()
      const sinceDay = Math.floor(sinceMs / dayMs)
      return [...calls.filter((counted) => counted.day >= sinceDay), ...(await callsOfDays(read, Math.max(day, sinceDay)))]
    },
  }
}
