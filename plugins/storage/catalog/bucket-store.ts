import type { Reader, Tx } from '#kernel'
import type { Bucket, BucketUsage } from '../contract.ts'

const columns = `id, name, owner_access_key as "ownerAccessKey", default_copies as "defaultCopies",
  minimum_durable_copies as "minimumDurableCopies", created_at as "createdAtMs", updated_at as "updatedAtMs"`

/** All buckets, in order of name. */
export const readBuckets = async (read: Reader): Promise<Bucket[]> => read.all<Bucket>(`select ${columns} from buckets order by name`)

export async function findBucketRow(read: Reader, name: string): Promise<Bucket | undefined> {
  return read.get<Bucket>(`select ${columns} from buckets where name = ?`, name)
}

export async function countBucketsOf(read: Reader, ownerAccessKey: string): Promise<number> {
  return read.get<{ count: number }>('select count(*) as count from buckets where owner_access_key = ?', ownerAccessKey)?.count ?? 0
}

export async function insertBucket(tx: Tx, bucket: Omit<Bucket, 'id'>): Promise<Bucket> {
  const { name, ownerAccessKey, defaultCopies, minimumDurableCopies, createdAtMs, updatedAtMs } = bucket
  const { lastId } = tx.run(
    `insert into buckets (name, owner_access_key, default_copies, minimum_durable_copies, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?)`,
    name,
    ownerAccessKey,
    defaultCopies,
    minimumDurableCopies,
    createdAtMs,
    updatedAtMs,
  )
  tx.run('insert into bucket_stats (bucket_id) values (?)', lastId)
  return { id: lastId, ...bucket }
}

export async function updateBucketOwner(tx: Tx, bucket: Bucket): Promise<void> {
  tx.run('update buckets set owner_access_key = ?, updated_at = ? where id = ?', bucket.ownerAccessKey, bucket.updatedAtMs, bucket.id)
}

export async function updateBucketCopies(tx: Tx, { id, defaultCopies, minimumDurableCopies, updatedAtMs }: Bucket): Promise<void> {
  tx.run(
    'update buckets set default_copies = ?, minimum_durable_copies = ?, updated_at = ? where id = ?',
    defaultCopies,
    minimumDurableCopies,
    updatedAtMs,
    id,
  )
}

export async function readUsage(read: Reader, bucketId: number): Promise<BucketUsage> {
  const row = read.get<BucketUsage>(
    'select live_objects as "objectCount", live_bytes as "totalSizeBytes" from bucket_stats where bucket_id = ?',
    bucketId,
  )
  return row ?? { objectCount: 0, totalSizeBytes: 0 }
}

/** Increments to the counters of a bucket from one change of a key. */
interface StatsChange {
  readonly liveObjects: number
  readonly liveBytes: number
  /** Data versions; delete markers are not counted. */
  readonly versions: number
  readonly versionBytes: number
  readonly tombstones: number
}

/** Returns false when the bucket does not exist. */
export async function changeStats(tx: Tx, bucketId: number, change: StatsChange): Promise<boolean> {
  const { changes } = tx.run(
    `update bucket_stats set live_objects = live_objects + ?, live_bytes = live_bytes + ?, versions = versions + ?,
       version_bytes = version_bytes + ?, tombstones = tombstones + ? where bucket_id = ?`,
    change.liveObjects,
    change.liveBytes,
    change.versions,
    change.versionBytes,
    change.tombstones,
    bucketId,
  )
  return changes === 1
}
