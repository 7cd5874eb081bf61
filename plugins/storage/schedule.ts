import type { TaskQueue } from '#kernel'
import { commitTask } from './copies/commit-task.ts'
import { pullTask } from './copies/pull-task.ts'
import { storeTask } from './copies/store-task.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import type { Schedule } from './pipeline.ts'

/** One task per content to store, and one per data set to create, pull into and commit to. */
export function createSchedule(queue: TaskQueue): Schedule {
  const at = (key: string, runAtMs: number | undefined) => (runAtMs === undefined ? { key } : { key, runAtMs })
  return {
    store: (tx, contentId) => void queue.enqueue(tx, storeTask, { contentId }, { key: `storage_store:${contentId}` }),
    ensure: (tx, dataSetId) => void queue.enqueue(tx, ensureDataSetTask, { dataSetId }, { key: `storage_dataset_ensure:${dataSetId}` }),
    pull: (tx, dataSetId, atMs) => void queue.enqueue(tx, pullTask, { dataSetId }, at(`storage_pull:${dataSetId}`, atMs)),
    commit: (tx, dataSetId, atMs) => void queue.enqueue(tx, commitTask, { dataSetId }, at(`storage_commit:${dataSetId}`, atMs)),
  }
}
