import { clock, database, defineRecovery, defineTask, type TaskSchedule, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { isChainUnreachable } from '#plugins/wallet'
import { observabilitySection } from '../contract/observability-settings.ts'
import { providers } from '../contract/providers.ts'

/** Until a read is tried again while the chain node does not answer, unless the interval is shorter. */
const chainWaitMs = 60_000
/** However short the configured interval is. */
const intervalMinMs = 1000

/**
 * Keeps the stored providers fresh, whether or not data sets are placed. It pays nothing. Between two rounds it waits: the schedule and
 * the start of the service only make sure that there is a task, and wake it.
 */
export const refreshInventoryTask = defineTask({
  kind: 'provider_inventory',
  label: 'Read the providers',
  args: type({}),
  uses: { providers, clock, settings: observabilitySection.settings },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'providers' }),
  run: async ({ services: { providers, clock, settings } }) => {
    const intervalMs = Math.max(settings.interval, intervalMinMs)
    const { freshness, readAtMs } = await providers.inventory()
    const dueAtMs = freshness === 'unknown' || readAtMs === null ? 0 : readAtMs + intervalMs
    // A read in the future means that the clock stepped back.
    if (dueAtMs > clock.now() && dueAtMs - clock.now() <= intervalMs) return wait('interval', dueAtMs)
    const startedAtMs = clock.now()
    try {
      await providers.refresh()
      return wait('interval', startedAtMs + intervalMs)
    } catch (error) {
      if (!isChainUnreachable(error)) throw error
      return wait('chain', startedAtMs + Math.min(chainWaitMs, intervalMs), error.message)
    }
  },
})

export const inventorySchedule: TaskSchedule = { name: 'providers', cron: '*/5 * * * *', kind: refreshInventoryTask, args: {} }

/** The first round begins with the service. */
export const inventoryRecovery = defineRecovery({
  name: 'providers.inventory',
  uses: { database, taskQueue },
  run: async ({ database, taskQueue }) => {
    const key = `${refreshInventoryTask.kind}@${inventorySchedule.name}`
    await database.write((tx) => taskQueue.add(tx, refreshInventoryTask, {}, { key }))
  },
})
