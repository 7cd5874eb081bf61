import { sqlStatement, type Tx } from '#kernel'

const countBucket = sqlStatement<{ bucketId: number }>(
  `update bucket_stats set
     live_objects = (select count(*) from object_heads h where h.bucket_id = bucket_stats.bucket_id),
     live_bytes = (select coalesce(sum(h.size), 0) from object_heads h where h.bucket_id = bucket_stats.bucket_id),
     versions = (select count(*) from object_versions v where v.bucket_id = bucket_stats.bucket_id and v.is_delete_marker = 0),
     version_bytes = (select coalesce(sum(v.size), 0) from object_versions v where v.bucket_id = bucket_stats.bucket_id),
     tombstones = (select count(*) from object_tombstones t where t.bucket_id = bucket_stats.bucket_id)
   where bucket_id = :bucketId`,
)

const countCurrent = sqlStatement<{ contentId: number }>(
  `update contents set current_count = (select count(*) from object_heads h where h.content_id = contents.id) where id = :contentId`,
)

/** One transaction: uploads into other buckets wait while a large bucket is counted. */
export const recountBucket = async (tx: Tx, bucketId: number): Promise<boolean> => (await tx.run(countBucket, { bucketId })).changes > 0

export const recountCurrent = async (tx: Tx, contentId: number): Promise<boolean> => (await tx.run(countCurrent, { contentId })).changes > 0
