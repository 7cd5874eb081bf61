import type { Database, TaskQueue } from '#kernel'
import type { Schedule } from '../pipeline.ts'
import { freeFromTasks, waitingForRetry } from './abandoned-store.ts'

interface RecoveryDeps {
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'unendedIds'>
  readonly schedule: Pick<Schedule, 'cleanup'>
}

/**
 * A removal that only the retry of a failed task may continue would be stuck once that task was dismissed. Another task judges it again:
 * it fails in the same way, so that it is visible and can be retried.
 */
export async function recoverRemovals({ database, queue, schedule }: RecoveryDeps): Promise<void> {
  await database.write(async (tx) => {
    const waiting = await waitingForRetry(tx)
    if (waiting.length === 0) return
    const unended = await queue.unendedIds(tx, [...new Set(waiting.map(({ taskId }) => taskId))])
    const lost = waiting.filter(({ taskId }) => !unended.has(taskId))
    if (lost.length === 0) return
    await freeFromTasks(
      tx,
      lost.map(({ taskId }) => taskId),
    )
    for (const dataSetId of new Set(lost.map(({ dataSetId }) => dataSetId))) await schedule.cleanup(tx, dataSetId)
  })
}
