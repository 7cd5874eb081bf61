import type { TaskQueue } from '#kernel'
import { commitTask } from './copies/commit-task.ts'
import { pullTask } from './copies/pull-task.ts'
import { storeTask } from './copies/store-task.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import { endDataSetTask } from './endings/end-data-set-task.ts'
import { verifyLandingsTask } from './finality/verify-landings-task.ts'
import type { Schedule } from './pipeline.ts'
import { cleanupTask } from './removals/cleanup-task.ts'
import { taskKeys } from './task-keys.ts'

/** One task per content to store; one per data set to create, pull into, commit to and remove from. */
export function createSchedule(queue: Pick<TaskQueue, 'add'>): Schedule {
  const at = (key: string, runAtMs: number | undefined) => (runAtMs === undefined ? { key } : { key, runAtMs })
  return {
    store: async (tx, contentId) => void (await queue.add(tx, storeTask, { contentId }, { key: taskKeys.store(contentId) })),
    ensure: async (tx, dataSetId) => void (await queue.add(tx, ensureDataSetTask, { dataSetId }, { key: taskKeys.ensure(dataSetId) })),
    pull: async (tx, dataSetId, atMs) => void (await queue.add(tx, pullTask, { dataSetId }, at(taskKeys.pull(dataSetId), atMs))),
    commit: async (tx, dataSetId, atMs) => void (await queue.add(tx, commitTask, { dataSetId }, at(taskKeys.commit(dataSetId), atMs))),
    end: async (tx, dataSetId) => void (await queue.add(tx, endDataSetTask, { dataSetId }, { key: taskKeys.end(dataSetId) })),
    verifyLandings: async (tx, atMs) => void (await queue.add(tx, verifyLandingsTask, {}, at(taskKeys.finality, atMs))),
    cleanup: (tx, dataSetId, atMs) => queue.add(tx, cleanupTask, { dataSetId }, at(taskKeys.cleanup(dataSetId), atMs)),
  }
}
