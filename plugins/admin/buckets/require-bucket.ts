import type { Bucket, Buckets } from '#plugins/storage'
import { adminErrors } from '../errors.ts'

/** Wider than the rule for new names, so that every existing bucket can be named. */
const namePattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** The bucket named in a path. Throws `invalid_bucket_name` (400) or `bucket_not_found` (404). */
export function requireBucket(buckets: Buckets, name: string): Bucket {
  if (!namePattern.test(name))
    throw adminErrors.invalid_bucket_name({ message: 'A bucket name has 3 to 63 lower-case letters, digits and hyphens.' })
  return buckets.require(name)
}
