import { setImmediate } from 'node:timers/promises'
import { defineRoutes, optional, SvcError, serveEndpoint } from '#kernel'
import { placements } from '#plugins/replication'
import { s3Users } from '#plugins/s3'
import { type Bucket, buckets } from '#plugins/storage'
import { adminErrors } from '../errors.ts'
import { type BucketItem, changeCopyPolicy, changeOwner, createBucket, deleteBucket, listBuckets, showBucket } from './bucket-api.ts'
import { describeBucket, describeBucketInFull, describeChange } from './describe-bucket.ts'
import { readOwner } from './read-owner.ts'
import { requireBucket } from './require-bucket.ts'

/** Buckets described before yielding to the event loop: the affected versions of one take about 0.1 ms to count. */
const bucketsPerTurn = 20

export const bucketRoutes = defineRoutes({
  name: 'buckets',
  uses: { buckets, placements, s3Users: optional(s3Users) },
  endpoints: [listBuckets, createBucket, showBucket, changeOwner, changeCopyPolicy, deleteBucket],
  register(app, { buckets, placements, s3Users }) {
    const situationOf = ({ id }: Bucket) => ({
      usage: buckets.usage(id),
      dataSets: placements.dataSetsOf(id),
      countVersionsOn: placements.countVersionsOn,
    })

    serveEndpoint(app, listBuckets, async () => {
      const items: BucketItem[] = []
      for (const bucket of buckets.list()) {
        items.push(describeBucket(bucket, situationOf(bucket)))
        if (items.length % bucketsPerTurn === 0) await setImmediate()
      }
      return items
    })

    serveEndpoint(app, createBucket, async ({ body }) => {
      const { name, owner_access_key, default_copies, minimum_durable_copies } = body
      const created = buckets.create({
        name,
        ownerAccessKey: readOwner(owner_access_key, s3Users, adminErrors.owner_unknown),
        ...(typeof default_copies === 'number' ? { defaultCopies: default_copies } : {}),
        ...(typeof minimum_durable_copies === 'number' ? { minimumDurableCopies: minimum_durable_copies } : {}),
      })
      return describeChange(await created.catch(refuseVanishedOwner))
    })

    serveEndpoint(app, showBucket, async ({ params }) => {
      const bucket = requireBucket(buckets, params.name)
      return describeBucketInFull(bucket, situationOf(bucket))
    })

    serveEndpoint(app, changeOwner, async ({ params, body }) => {
      const { name } = requireBucket(buckets, params.name)
      return describeChange(await buckets.setOwner(name, readOwner(body.owner_access_key, s3Users, adminErrors.s3_user_not_found)))
    })

    serveEndpoint(app, changeCopyPolicy, async ({ params, body }) => {
      const { name } = requireBucket(buckets, params.name)
      const { default_copies, minimum_durable_copies } = body
      const bucket = await buckets.setCopyPolicy(name, {
        ...(default_copies === undefined ? {} : { defaultCopies: readCopies(default_copies) }),
        ...(minimum_durable_copies === undefined ? {} : { minimumDurableCopies: readCopies(minimum_durable_copies) }),
      })
      return describeChange(bucket)
    })

    serveEndpoint(app, deleteBucket, async () => {
      throw adminErrors.bucket_deletion_unsupported()
    })
  },
})

/** A value that is not a number becomes NaN, which is refused like a number out of range. */
const readCopies = (value: unknown): number | null => (value === null || typeof value === 'number' ? value : Number.NaN)

/** The owner was deleted between the lookup and the commit of the bucket. */
function refuseVanishedOwner(error: unknown): never {
  if (error instanceof SvcError && error.code === 's3_user_not_found') {
    throw adminErrors.owner_unknown({ message: error.message, cause: error })
  }
  throw error
}
