import type { TaskQueue } from '#kernel'
import { evictTask } from '../storage/cache/evict-task.ts'
import { enqueueReconcileCapacity } from '../storage/cache/reconcile-capacity-task.ts'
import { reviewDurabilityTask } from '../storage/cache/review-durability-task.ts'
import { taskKeys } from '../storage/task-keys.ts'
import { commitTask } from './copies/commit-task.ts'
import { pullTask } from './copies/pull-task.ts'
import { storeTask } from './copies/store-task.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import { verifyLandingsTask } from './finality/verify-landings-task.ts'
import type { Schedule } from './pipeline.ts'
import { cleanupTask } from './removals/cleanup-task.ts'

/** One task per content to store; one per data set to create, pull into, commit to and remove from; one for the cache capacity. */
export function createSchedule(queue: TaskQueue): Schedule {
  const at = (key: string, runAtMs: number | undefined) => (runAtMs === undefined ? { key } : { key, runAtMs })
  return {
    store: (tx, contentId) => void queue.enqueue(tx, storeTask, { contentId }, { key: taskKeys.store(contentId) }),
    ensure: (tx, dataSetId) => void queue.enqueue(tx, ensureDataSetTask, { dataSetId }, { key: taskKeys.ensure(dataSetId) }),
    pull: (tx, dataSetId, atMs) => void queue.enqueue(tx, pullTask, { dataSetId }, at(taskKeys.pull(dataSetId), atMs)),
    commit: (tx, dataSetId, atMs) => void queue.enqueue(tx, commitTask, { dataSetId }, at(taskKeys.commit(dataSetId), atMs)),
    verifyLandings: (tx, atMs) => void queue.enqueue(tx, verifyLandingsTask, {}, at(taskKeys.finality, atMs)),
    reviewDurability: (tx, { id, name }) =>
      void queue.enqueue(tx, reviewDurabilityTask, { bucketId: id, bucket: name }, { key: taskKeys.reviewDurability(id) }),
    reconcileCapacity: (tx) => enqueueReconcileCapacity(tx, queue),
    finishEviction: (tx, contentId) => void queue.enqueue(tx, evictTask, { contentId }, { key: taskKeys.finishEviction(contentId) }),
    cleanup: (tx, dataSetId, atMs) => queue.enqueue(tx, cleanupTask, { dataSetId }, at(taskKeys.cleanup(dataSetId), atMs)),
  }
}
