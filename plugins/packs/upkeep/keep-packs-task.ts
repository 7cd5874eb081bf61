import { database, defineTask, done, type TaskSchedule, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { packs } from '#plugins/storage'

/** Removes the files of stored packs, packs the members of lost ones again, and sees that what waits has its task (I-43). It pays nothing. */
export const keepPacksTask = defineTask({
  kind: 'packs_upkeep',
  label: 'Maintain packs',
  args: type({}),
  uses: { packs, database, queue: taskQueue },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'packs' }),
  run: async ({ services, fence, signal }) => {
    const { keepPacks } = await import('./keep-packs.ts')
    await keepPacks({ ...services, fenced: fence(services.database) }, signal)
    return done()
  },
})

export const keepPacksSchedule: TaskSchedule = { name: 'packs', cron: '* * * * *', kind: keepPacksTask, args: {} }
