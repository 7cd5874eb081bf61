import { type Database, database, defineRecovery, type Tx, taskQueue } from '#kernel'
import type { Schedule } from '../pipeline.ts'
import { createSchedule } from '../schedule.ts'
import { creationsWithoutTask, endsWithoutTask } from './stuck-endings-store.ts'

/** Data sets whose tasks are enqueued in one transaction. */
const dataSetsPerPage = 500

interface RecoveryDeps {
  readonly database: Database
  readonly schedule: Pick<Schedule, 'end' | 'ensure'>
}

/**
 * The end of a data set, or the creation that it waits for, would be stuck once its failed task was dismissed and its retention has
 * passed. Another task looks up the state first, so that nothing is sent twice.
 */
export async function recoverEndings({ database, schedule }: RecoveryDeps): Promise<void> {
  await enqueue(database, creationsWithoutTask, schedule.ensure)
  await enqueue(database, endsWithoutTask, schedule.end)
}

async function enqueue(database: Database, find: typeof endsWithoutTask, add: (tx: Tx, id: number) => Promise<void>): Promise<void> {
  for (let after = 0; ; ) {
    const page = await find(database.read, { after, limit: dataSetsPerPage })
    await database.write(async (tx) => {
      for (const id of page) await add(tx, id)
    })
    if (page.length < dataSetsPerPage) return
    after = page.at(-1) ?? after
  }
}

export const endingsRecovery = defineRecovery({
  name: 'storage.endings',
  uses: { database, taskQueue },
  run: ({ database, taskQueue }) => recoverEndings({ database, schedule: createSchedule(taskQueue) }),
})
