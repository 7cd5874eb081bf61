import { type Database, database, defineRecovery, taskQueue } from '#kernel'
import type { Schedule } from '../pipeline.ts'
import { createSchedule } from '../schedule.ts'
import { freedContents } from './freed-copies-store.ts'

/** Contents enqueued in one transaction. */
const contentsPerPage = 500

/** Enqueues store tasks for contents whose copies migration 0007 freed: their earlier tasks have ended. */
export async function storeFreed(database: Database, schedule: Pick<Schedule, 'store'>): Promise<void> {
  for (let after = 0; ; ) {
    const page = await freedContents(database.read, { after, limit: contentsPerPage })
    if (page.length === 0) return
    after = page.at(-1) ?? after
    await database.write(async (tx) => {
      for (const contentId of page) await schedule.store(tx, contentId)
    })
  }
}

export const storeFreedRecovery = defineRecovery({
  name: 'storage.freed-copies',
  uses: { database, taskQueue },
  run: ({ database, taskQueue }) => storeFreed(database, createSchedule(taskQueue)),
})
