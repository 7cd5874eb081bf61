import { database, defineTask, done, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { enqueueReconcileCapacity } from './reconcile-capacity-task.ts'

/** Recomputes which cached contents of a bucket are releasable, after its minimum of durable copies changed. */
export const reviewDurabilityTask = defineTask({
  kind: 'cache_reconcile_durability',
  label: 'Review cache durability',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { database, queue: taskQueue },
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  run: async ({ args: { bucketId }, services: { database, queue }, signal, fence }) => {
    const { reviewDurability } = await import('../cache/capacity/review-durability.ts')
    await reviewDurability(fence(database), { bucketId, onUpdated: (tx) => enqueueReconcileCapacity(tx, queue) }, signal)
    return done()
  },
})
