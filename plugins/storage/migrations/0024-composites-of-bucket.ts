import { defineMigration } from '#kernel'

/**
 * One index instead of two. SQLite preferred that of all contents of a bucket when only its composites were wanted, and read all contents
 * for each data set.
 */
export const compositesOfBucketMigration = defineMigration('0024-composites-of-bucket', [
  'drop index contents_composite',
  'drop index contents_of_bucket',
  'create index contents_of_bucket on contents (bucket_id, part_count)',
])
