import {
  clock,
  type Database,
  database,
  defineRecovery,
  defineTask,
  done,
  type TaskQueue,
  type TaskSchedule,
  taskQueue,
  wait,
} from '#kernel'
import { type } from '#kernel/schema'
import { isChainUnreachable } from '#plugins/wallet'
import { providers } from '../contract/providers.ts'
import { observabilitySection } from '../contract/settings.ts'

/** Until a read is tried again while the chain node does not answer, unless the interval is shorter. */
const chainWaitMs = 60_000
/** However short the configured interval is. */
const intervalMinMs = 1000

/** Keeps the stored providers fresh, whether or not data sets are placed. It pays nothing. Each run enqueues the next one. */
export const refreshInventoryTask = defineTask({
  kind: 'provider_inventory',
  label: 'Read the providers',
  args: type({}),
  uses: { providers, clock, settings: observabilitySection.settings, database, taskQueue },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'providers' }),
  run: async ({ services: { providers, clock, settings, ...deps } }) => {
    const intervalMs = Math.max(settings.interval, intervalMinMs)
    const startedAtMs = clock.now()
    const { freshness, readAtMs } = await providers.inventory()
    const dueAtMs = freshness === 'unknown' || readAtMs === null ? 0 : readAtMs + intervalMs
    // The schedule, and the start of the service, come earlier. A read in the future means that the clock stepped back.
    if (dueAtMs > startedAtMs && dueAtMs - startedAtMs <= intervalMs) {
      await enqueueRound(deps, dueAtMs)
      return done()
    }
    try {
      await providers.refresh()
    } catch (error) {
      if (!isChainUnreachable(error)) throw error
      return wait('chain', startedAtMs + Math.min(chainWaitMs, intervalMs), error.message)
    }
    await enqueueRound(deps, startedAtMs + intervalMs)
    return done()
  },
})

/** Makes sure that there is a task: the interval of the rounds is that of the settings. */
export const inventorySchedule: TaskSchedule = { name: 'providers', cron: '*/5 * * * *', kind: refreshInventoryTask, args: {} }

/** The first round begins with the service. */
export const inventoryRecovery = defineRecovery({
  name: 'providers.inventory',
  uses: { database, taskQueue },
  run: (deps) => enqueueRound(deps),
})

interface QueueDeps {
  readonly database: Database
  readonly taskQueue: TaskQueue
}

/** Joins the task of the schedule. */
async function enqueueRound({ database, taskQueue }: QueueDeps, runAtMs?: number): Promise<void> {
  const key = `${refreshInventoryTask.kind}@${inventorySchedule.name}`
  await database.write((tx) => taskQueue.add(tx, refreshInventoryTask, {}, runAtMs === undefined ? { key } : { key, runAtMs }))
}
