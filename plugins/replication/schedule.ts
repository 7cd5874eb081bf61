import type { TaskQueue } from '#kernel'
import { commitTask } from './copies/commit-task.ts'
import { pullTask } from './copies/pull-task.ts'
import { storeTask } from './copies/store-task.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import { verifyLandingsTask } from './finality/verify-landings-task.ts'
import type { Schedule } from './pipeline.ts'
import { cleanupTask } from './removals/cleanup-task.ts'
import { taskKeys } from './task-keys.ts'

/** One task per content to store; one per data set to create, pull into, commit to and remove from. */
export function createSchedule(queue: Pick<TaskQueue, 'enqueue'>): Schedule {
  const at = (key: string, runAtMs: number | undefined) => (runAtMs === undefined ? { key } : { key, runAtMs })
  return {
    store: (tx, contentId) => void queue.enqueue(tx, storeTask, { contentId }, { key: taskKeys.store(contentId) }),
    ensure: (tx, dataSetId) => void queue.enqueue(tx, ensureDataSetTask, { dataSetId }, { key: taskKeys.ensure(dataSetId) }),
    pull: (tx, dataSetId, atMs) => void queue.enqueue(tx, pullTask, { dataSetId }, at(taskKeys.pull(dataSetId), atMs)),
    commit: (tx, dataSetId, atMs) => void queue.enqueue(tx, commitTask, { dataSetId }, at(taskKeys.commit(dataSetId), atMs)),
    verifyLandings: (tx, atMs) => void queue.enqueue(tx, verifyLandingsTask, {}, at(taskKeys.finality, atMs)),
    cleanup: (tx, dataSetId, atMs) => queue.enqueue(tx, cleanupTask, { dataSetId }, at(taskKeys.cleanup(dataSetId), atMs)),
  }
}
