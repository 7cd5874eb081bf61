import { defineRoutes, optional, serveEndpoint } from '#kernel'
import { s3Users } from '#plugins/s3'
import { buckets, placements } from '#plugins/storage'
import { createBucket, listBuckets, showBucket } from '../api.ts'
import { describeBucket, describeBucketInFull, describeChange } from './describe-bucket.ts'
import { readOwner } from './read-owner.ts'
import { requireBucket } from './require-bucket.ts'

export const bucketRoutes = defineRoutes({
  name: 'buckets',
  uses: { buckets, placements, s3Users: optional(s3Users) },
  endpoints: [listBuckets, createBucket, showBucket],
  register(app, { buckets, placements, s3Users }) {
    serveEndpoint(app, listBuckets, async () => buckets.list().map((bucket) => describeBucket(bucket, buckets.usage(bucket.id))))

    serveEndpoint(app, createBucket, async ({ body }) => {
      const { name, owner_access_key, default_copies, minimum_durable_copies } = body
      const bucket = await buckets.create({
        name,
        ownerAccessKey: readOwner(owner_access_key, s3Users),
        ...(typeof default_copies === 'number' ? { defaultCopies: default_copies } : {}),
        ...(typeof minimum_durable_copies === 'number' ? { minimumDurableCopies: minimum_durable_copies } : {}),
      })
      return describeChange(bucket)
    })

    serveEndpoint(app, showBucket, async ({ params }) => {
      const bucket = requireBucket(buckets, params.name)
      return describeBucketInFull(bucket, buckets.usage(bucket.id), placements.dataSetsOf(bucket.id))
    })
  },
})
