import type { BucketDeletion } from '#plugins/storage'
import { removeEndedOfBucket } from '../records/replacement-store.ts'

/** All services of the bucket end with it. Replacements that were not finished may have many items: their tasks delete them page by page. */
export const replacementBucketDeletion: BucketDeletion = {
  name: 'replacement',
  deleted: removeEndedOfBucket,
}
