import { clock, defineTask, done, type TaskSchedule, wait } from '#kernel'
import { type } from '#kernel/schema'
import { isChainUnreachable } from '#plugins/wallet'
import { providers } from '../contract/providers.ts'

/** Until a read is tried again while the chain node does not answer. */
const chainWaitMs = 60_000

/** Keeps the stored providers fresh, whether or not data sets are placed. It pays nothing. */
export const refreshInventoryTask = defineTask({
  kind: 'provider_inventory',
  label: 'Read the providers',
  args: type({}),
  uses: { providers, clock },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'providers' }),
  run: async ({ services: { providers, clock } }) => {
    try {
      await providers.refresh()
      return done()
    } catch (error) {
      if (!isChainUnreachable(error)) throw error
      return wait('chain', clock.now() + chainWaitMs, error.message)
    }
  },
})

export const inventorySchedule: TaskSchedule = { name: 'providers', cron: '*/5 * * * *', kind: refreshInventoryTask, args: {} }
