import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../entities/tables.ts'

type BucketParams<P = Record<never, never>> = Params<P & { bucketId: number }>

/** Exactly what makes a bucket "not empty". Open uploads end with it. Contents that are being deleted are not listed: no version refers to them. */
const occupants = [
  // Delete markers count too.
  statement((db, { bucketId }: BucketParams) =>
    db.selectFrom('object_versions').select('bucket_id').where('bucket_id', '=', bucketId).limit(1),
  ),
  // Parts of puts that have committed the first parts of an object.
  statement((db, { bucketId }: BucketParams) =>
    db
      .selectFrom('held_parts as h')
      .innerJoin('contents as c', 'c.id', 'h.content_id')
      .select('c.bucket_id')
      .where('c.bucket_id', '=', bucketId)
      .limit(1),
  ),
]

/** Rows that end with the deletion. Writes to a bucket change its counters, and fail when it has none. */
const dropStats = statement((db, { bucketId }: BucketParams) => db.deleteFrom('bucket_stats').where('bucket_id', '=', bucketId))

/** No bucket name has a slash. */
const setDeleted = sqlStatement<{ bucketId: number; nowMs: number }>(
  `update buckets set deleted_at = :nowMs, deleted_name = name, name = 'deleted/' || id, updated_at = :nowMs
   where id = :bucketId and deleted_at is null`,
)

const findDeleted = statement((db, { bucketId }: BucketParams) =>
  db.selectFrom('buckets').select('id').where('id', '=', bucketId).where('deleted_at', 'is not', null).forUpdate(),
)
const findContent = statement((db, { bucketId }: BucketParams) =>
  db.selectFrom('contents').select('id').where('bucket_id', '=', bucketId).limit(1),
)
const remove = statement((db, { bucketId }: BucketParams) =>
  db.deleteFrom('buckets').where('id', '=', bucketId).where('deleted_at', 'is not', null),
)

const deletedAfter = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db.selectFrom('buckets').select('id').where('deleted_at', 'is not', null).where('id', '>', after).orderBy('id').limit(limit),
)

/** Whether the bucket has a version, a delete marker or the parts of a put. */
export async function holdsAnything(read: Reader, bucketId: number): Promise<boolean> {
  for (const occupant of occupants) if (await read.get(occupant, { bucketId })) return true
  return false
}

/** Frees the name, and makes every later write to the bucket fail. */
export async function markBucketDeleted(tx: Tx, bucketId: number, nowMs: number): Promise<void> {
  await tx.run(dropStats, { bucketId })
  await tx.run(setDeleted, { bucketId, nowMs })
}

/** Whether the bucket is deleted and its last content is gone. */
export async function isDeletedWithoutContents(read: Reader, bucketId: number): Promise<boolean> {
  return (await read.get(findDeleted, { bucketId })) !== undefined && (await read.get(findContent, { bucketId })) === undefined
}

export async function forgetBucket(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(remove, { bucketId })
}

/** Deleted buckets whose rows are kept, at most `limit`, in order of id. */
export async function deletedBuckets(read: Reader, page: { readonly after: number; readonly limit: number }): Promise<number[]> {
  return (await read.all(deletedAfter, page)).map(({ id }) => id)
}
