import { clock, database, defineRecovery, defineTask, done, optional, type TaskSchedule, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { observabilitySection } from '#plugins/providers'
import { isChainUnreachable } from '#plugins/wallet'
import { dataSetObservers } from './data-set-observer.ts'

/** Reads the state of all data sets on chain, again and again at the configured interval. It pays nothing. */
export const observeDataSetsTask = defineTask({
  kind: 'data_set_observation',
  label: 'Check the data sets on chain',
  args: type({}),
  uses: { observers: dataSetObservers, settings: optional(observabilitySection.settings), clock },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'data-sets' }),
  async run({
    services: {
      observers: { found: observers },
      settings,
      clock,
    },
  }) {
    if (!observers || !settings) return done()
    const last = await observers.lastRound()
    const dueAtMs = last ? last.startedAtMs + settings.interval : 0
    // A round in the future means that the clock stepped back.
    if (last && dueAtMs > clock.now() && last.startedAtMs <= clock.now()) return wait('interval', dueAtMs)
    try {
      await observers.refresh()
    } catch (error) {
      if (!isChainUnreachable(error)) throw error
      return wait('chain', clock.now() + settings.interval, error.message)
    }
    return wait('interval', clock.now() + settings.interval)
  },
})

/** Enqueues the task where it is missing: it waits for its next round by itself. */
export const observeDataSetsSchedule: TaskSchedule = { name: 'data-sets', cron: '* * * * *', kind: observeDataSetsTask, args: {} }

/** Shares its deduplication key with the schedule. */
export const observeDataSetsRecovery = defineRecovery({
  name: 'observability.data-sets',
  uses: { database, taskQueue },
  run: async ({ database, taskQueue }) => {
    const key = `${observeDataSetsTask.kind}@${observeDataSetsSchedule.name}`
    await database.write((tx) => taskQueue.add(tx, observeDataSetsTask, {}, { key }))
  },
})
