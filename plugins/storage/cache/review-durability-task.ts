import { type } from 'arktype'
import { database, defineTask, done } from '#kernel'

/** Looks again at what of a bucket's cached bytes may be removed, after the bucket's minimum of durable copies changed. */
export const reviewDurabilityTask = defineTask({
  kind: 'cache_reconcile_durability',
  label: 'Review cache durability',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { database },
  subject: ({ bucketId, bucket }) => ({ type: 'bucket', key: String(bucketId), bucket }),
  run: async ({ args, services, signal }) => {
    const { reviewDurability } = await import('./review-durability.ts')
    await reviewDurability(services.database, args.bucketId, signal)
    return done()
  },
})
