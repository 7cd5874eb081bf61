import type { TaskQueue, Tx } from '#kernel'
import type { EvictionTasks } from '../cache/capacity/eviction.ts'
import type { Bucket } from '../contract.ts'
import { evictTask } from './evict-task.ts'
import { enqueueReconcileCapacity } from './reconcile-capacity-task.ts'
import { reviewDurabilityTask } from './review-durability-task.ts'

/** Deduplication keys: at most one task per key is pending or running. */
const reviewKey = (bucketId: number) => `cache_reconcile_durability:${bucketId}`
const evictionKey = (contentId: number) => `cache_evict:${contentId}`

/** Enqueues the tasks of the cache. Each runs at least once after the call. */
interface CacheSchedule extends EvictionTasks {
  reviewDurability(tx: Tx, bucket: Pick<Bucket, 'id' | 'name'>): Promise<void>
}

export function createCacheSchedule(queue: TaskQueue): CacheSchedule {
  return {
    reviewDurability: async (tx, { id, name }) =>
      void (await queue.add(tx, reviewDurabilityTask, { bucketId: id, bucket: name }, { key: reviewKey(id) })),
    reconcileCapacity: (tx) => enqueueReconcileCapacity(tx, queue),
    finishEviction: async (tx, contentId) => void (await queue.add(tx, evictTask, { contentId }, { key: evictionKey(contentId) })),
  }
}
