/** Counts paid calls without reading the days again whose calls cannot change any more. */
import { type Clock, type Database, singleFlight } from '#kernel'
import type { PaidCallCounts } from '../contract/paid-work.ts'
import { type CallsOfDay, callsOfDays, dayMs, firstChangeableMs } from './paid-calls-store.ts'

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
