import type { BucketOwnerCheck } from '#plugins/storage'
import { requireUser } from './user-directory.ts'

/** A bucket is owned by an S3 user that exists. */
export const userCheck: BucketOwnerCheck = {
  name: 's3-users',
  async check(read, accessKey) {
    await requireUser(read, accessKey)
  },
}
