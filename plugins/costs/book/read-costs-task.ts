import { clock, defineTask, done, type Outcome, type TaskSchedule, wait } from '#kernel'
import { type } from '#kernel/schema'
import { isChainUnreachable } from '#plugins/wallet'
import { costBook } from '../contract.ts'

/** Until a read is tried again while the chain node does not answer. */
const chainWaitMs = 60_000

/** Reads the payment account and follows its payments. It pays nothing. */
export const readCostsTask = defineTask({
  kind: 'read_costs',
  label: 'Read the costs of storage',
  args: type({}),
  uses: { book: costBook, clock },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'costs' }),
  run: async ({ services: { book, clock }, signal }): Promise<Outcome> => {
    try {
      await book.refresh()
      signal.throwIfAborted()
      return (await book.follow()) ? done() : wait('retry', clock.now())
    } catch (error) {
      // I-08
      if (!isChainUnreachable(error)) throw error
      return wait('chain', clock.now() + chainWaitMs, error.message)
    }
  },
})

export const costsSchedule: TaskSchedule = { name: 'costs', cron: '* * * * *', kind: readCostsTask, args: {} }
