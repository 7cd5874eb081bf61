import { defineTask, done, type TaskQueue, type TaskSchedule, type Tx, wait } from '#kernel'
import { type } from '#kernel/schema'
import { cache } from '../services.ts'

/** What the pass waits for is looked at again after this, unless something happens before. */
const lookAgainMs = 60_000

const waits = {
  nothing_releasable: 'the cache is above its low watermark, and nothing more in it may be removed yet',
  reads_unrecorded: 'reads could not be recorded, so nobody knows what was read last',
  files_stuck: 'too many cached files cannot be removed; the cache_evict tasks say why',
} as const

/** Removes cached bytes as the eviction policy says. There is one at a time. */
export const makeRoomTask = defineTask({
  kind: 'cache_capacity_reconcile',
  label: 'Manage local cache capacity',
  args: type({}),
  uses: { cache },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'cache' }),
  run: async ({ services, signal, nowMs }) => {
    const made = await services.cache.makeRoom(signal)
    return made === 'enough' ? done() : wait(made, nowMs + lookAgainMs, waits[made])
  },
})

/** The events that begin a pass are not all on record: this catches what a stop swallowed. */
export const makeRoomSchedule: TaskSchedule = { name: 'cache', cron: '* * * * *', kind: makeRoomTask, args: {} }

/** Under the key of the schedule's ticks. */
export function enqueueMakeRoom(tx: Tx, queue: TaskQueue): void {
  queue.enqueue(tx, makeRoomTask, {}, { key: `${makeRoomTask.kind}@${makeRoomSchedule.name}` })
}
