import { defineTask, done, type TaskQueue, type TaskSchedule, type Tx, wait } from '#kernel'
import { type } from '#kernel/schema'
import { cache } from '../services.ts'

/** Poll interval of a waiting pass; an event can start it earlier. */
const recheckMs = 60_000

const waitMessages = {
  nothing_releasable: 'the cache is above its low watermark, but the remaining objects do not have enough committed copies yet',
  reads_unrecorded: 'eviction is paused because access times could not be recorded',
  files_stuck: 'too many cached files cannot be removed; see the errors of the cache_evict tasks',
} as const

/** Runs an eviction pass. The deduplication key allows one at a time. */
export const reconcileCapacityTask = defineTask({
  kind: 'cache_capacity_reconcile',
  label: 'Manage local cache capacity',
  args: type({}),
  uses: { cache },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'cache' }),
  run: async ({ services, signal, nowMs }) => {
    const outcome = await services.cache.reconcileCapacity(signal)
    return outcome === 'enough' ? done() : wait(outcome, nowMs + recheckMs, waitMessages[outcome])
  },
})

/** Needed because the triggers of a pass are not durable: a stop can lose one. */
export const reconcileCapacitySchedule: TaskSchedule = { name: 'cache', cron: '* * * * *', kind: reconcileCapacityTask, args: {} }

/** Shares its deduplication key with the schedule. */
export async function enqueueReconcileCapacity(tx: Tx, queue: TaskQueue): Promise<void> {
  await queue.add(tx, reconcileCapacityTask, {}, { key: `${reconcileCapacityTask.kind}@${reconcileCapacitySchedule.name}` })
}
