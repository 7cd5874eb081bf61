import { database, defineTask, done, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { enqueueMakeRoom } from './make-room-task.ts'

/** Looks again at what of a bucket's cached bytes may be removed, after the bucket's minimum of durable copies changed. */
export const reviewDurabilityTask = defineTask({
  kind: 'cache_reconcile_durability',
  label: 'Review cache durability',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { database, queue: taskQueue },
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  run: async ({ args: { bucketId }, services: { database, queue }, signal, fence }) => {
    const { reviewDurability } = await import('./review-durability.ts')
    await reviewDurability(fence(database), { bucketId, onJudged: (tx) => enqueueMakeRoom(tx, queue) }, signal)
    return done()
  },
})
