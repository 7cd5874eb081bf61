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

/** The rows of `stored_usage` as they should be. */
const countedUsage = `select coalesce(b.owner_access_key, '') as owner, count(*) as buckets, sum(s.versions) as versions,
    sum(s.version_bytes) as version_bytes from bucket_stats s join buckets b on b.id = s.bucket_id group by coalesce(b.owner_access_key, '')
  union all select '*', count(*), coalesce(sum(versions), 0), coalesce(sum(version_bytes), 0) from bucket_stats`

/** The owners of rows that are missing or wrong. */
export const wrongUsage = `select case owner when '' then 'the internal root account' when '*' then 'all owners' else owner end as id
  from (${countedUsage} union all select owner, -buckets, -versions, -version_bytes from stored_usage) x
  group by owner having sum(buckets) <> 0 or sum(versions) <> 0 or sum(version_bytes) <> 0`

const findWrong = sqlStatement<object, { id: string }>(wrongUsage)
const dropUsage = sqlStatement<object>('delete from stored_usage')
const addUsage = sqlStatement<object>(`insert into stored_usage (owner, buckets, versions, version_bytes) ${countedUsage}`)

/** Counts all owners again, from the counters of their buckets. */
export async function recountUsage(tx: Tx): Promise<boolean> {
  if ((await tx.get(findWrong, {})) === undefined) return false
  await tx.run(dropUsage, {})
  await tx.run(addUsage, {})
  return true
}
