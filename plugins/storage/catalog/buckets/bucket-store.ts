import { sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { Bucket, BucketUsage } from '../../contract.ts'
import { statement } from '../entities/tables.ts'

const bucketColumns = [
  'id',
  'name',
  'owner_access_key as ownerAccessKey',
  'default_copies as defaultCopies',
  'minimum_durable_copies as minimumDurableCopies',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
] as const

const selectBuckets = statement((db) => db.selectFrom('buckets').select(bucketColumns).where('deleted_at', 'is', null).orderBy('name'))

const lockBucket = statement((db, { name }: Params<{ name: string }>) =>
  db.selectFrom('buckets').select(bucketColumns).where('name', '=', name).where('deleted_at', 'is', null).forUpdate(),
)

const countOwned = statement((db, { ownerAccessKey }: Params<{ ownerAccessKey: string }>) =>
  db
    .selectFrom('buckets')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner_access_key', '=', ownerAccessKey)
    .where('deleted_at', 'is', null),
)

const addBucket = statement((db, bucket: Params<Omit<Bucket, 'id'>>) =>
  db
    .insertInto('buckets')
    .values({
      name: bucket.name,
      owner_access_key: bucket.ownerAccessKey,
      default_copies: bucket.defaultCopies,
      minimum_durable_copies: bucket.minimumDurableCopies,
      created_at: bucket.createdAtMs,
      updated_at: bucket.updatedAtMs,
    })
    .returning('id'),
)

const addStats = statement((db, { id }: Params<{ id: number }>) => db.insertInto('bucket_stats').values({ bucket_id: id }))

const setOwner = statement((db, { id, ownerAccessKey, updatedAtMs }: Params<Pick<Bucket, 'id' | 'ownerAccessKey' | 'updatedAtMs'>>) =>
  db.updateTable('buckets').set({ owner_access_key: ownerAccessKey, updated_at: updatedAtMs }).where('id', '=', id),
)

const setCopies = statement((db, bucket: Params<Pick<Bucket, 'id' | 'defaultCopies' | 'minimumDurableCopies' | 'updatedAtMs'>>) =>
  db
    .updateTable('buckets')
    .set({ default_copies: bucket.defaultCopies, minimum_durable_copies: bucket.minimumDurableCopies, updated_at: bucket.updatedAtMs })
    .where('id', '=', bucket.id),
)

const selectUsages = statement((db, { bucketIds }: Params<{ bucketIds: readonly number[] }>) =>
  db
    .selectFrom('bucket_stats')
    .select(['bucket_id as bucketId', 'live_objects as objectCount', 'live_bytes as totalSizeBytes'])
    .where('bucket_id', 'in', bucketIds),
)

const addToStats = statement((db, by: Params<StatsChange & { bucketId: number }>) =>
  db
    .updateTable('bucket_stats')
    .set((row) => ({
      live_objects: row('live_objects', '+', by.liveObjects),
      live_bytes: row('live_bytes', '+', by.liveBytes),
      versions: row('versions', '+', by.versions),
      version_bytes: row('version_bytes', '+', by.versionBytes),
      tombstones: row('tombstones', '+', by.tombstones),
    }))
    .where('bucket_id', '=', by.bucketId),
)

const findStats = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('bucket_stats').select('bucket_id').where('bucket_id', '=', bucketId).forUpdate(),
)

/** All buckets, in order of name. */
export async function readBuckets(read: Reader): Promise<Bucket[]> {
  return read.all(selectBuckets)
}

/** The row of a bucket that is not deleted, which no other transaction changes until the commit. */
export async function lockBucketRow(tx: Tx, name: string): Promise<Bucket | undefined> {
  return tx.get(lockBucket, { name })
}

export async function countBucketsOf(read: Reader, ownerAccessKey: string): Promise<number> {
  return (await read.get(countOwned, { ownerAccessKey }))?.count ?? 0
}

export async function insertBucket(tx: Tx, bucket: Omit<Bucket, 'id'>): Promise<Bucket> {
  const added = await tx.get(addBucket, bucket)
  if (!added) throw new Error(`bucket '${bucket.name}' was not inserted`)
  await tx.run(addStats, added)
  return { ...added, ...bucket }
}

export async function updateBucketOwner(tx: Tx, bucket: Bucket): Promise<void> {
  await tx.run(setOwner, bucket)
}

export async function updateBucketCopies(tx: Tx, bucket: Bucket): Promise<void> {
  await tx.run(setCopies, bucket)
}

const noUsage: BucketUsage = { objectCount: 0, totalSizeBytes: 0 }

/** Usages in the order of `bucketIds`. */
export async function readUsages(read: Reader, bucketIds: readonly number[]): Promise<readonly BucketUsage[]> {
  const rows = await read.all(selectUsages, { bucketIds })
  const usages = new Map(rows.map(({ bucketId, ...usage }) => [bucketId, usage]))
  return bucketIds.map((id) => usages.get(id) ?? noUsage)
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
  return (await tx.run(addToStats, { ...change, bucketId })).changes === 1
}

/** Whether the bucket is not deleted. Until the commit no other transaction deletes it. */
export async function hasStats(tx: Tx, bucketId: number): Promise<boolean> {
  return (await tx.get(findStats, { bucketId })) !== undefined
}

const total = statement((db) =>
  db
    .selectFrom('bucket_stats')
    .select([
      sql<number>`cast(coalesce(sum(live_objects), 0) as bigint)`.as('objectCount'),
      sql<number>`cast(coalesce(sum(live_bytes), 0) as bigint)`.as('totalSizeBytes'),
    ]),
)

export async function readTotalUsage(read: Reader): Promise<BucketUsage> {
  return (await read.get(total)) ?? { objectCount: 0, totalSizeBytes: 0 }
}
