import { type QueryCreator, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { Bucket } from '../../contract.ts'
import { storageErrors } from '../../errors.ts'
import { bucketNotFound } from '../buckets/bucket-not-found.ts'
import { changeStats } from '../buckets/bucket-store.ts'
import { type StorageTables, statement } from '../entities/tables.ts'
import { type OfKey, removeHead, removeTombstone, setHead, writeTombstone } from './head-store.ts'
import { checksumName } from './stored-version.ts'
import { nextRseq } from './version-store.ts'

export interface BucketKey {
  readonly bucket: Bucket
  readonly key: string
}

/** A version without its headers. */
export interface VersionSummary {
  readonly rseq: number
  readonly versionId: string
  readonly contentId: number | null
  readonly size: number
  readonly etag: string
  /** JSON. */
  readonly checksums: string | null
  readonly createdAtMs: number
}

interface OfRow extends OfKey {
  readonly rseq: number
}

const summaries = (db: QueryCreator<StorageTables>, { bucketId, key }: Params<OfKey>) =>
  db
    .selectFrom('object_versions')
    .select(['rseq', 'version_id as versionId', 'content_id as contentId', 'size', 'etag', 'checksums', 'created_at as createdAtMs'])
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)

const findNewest = statement((db, of: Params<OfKey>) => summaries(db, of).orderBy('rseq').limit(1))
const findById = statement((db, of: Params<OfKey & { versionId: string }>) => summaries(db, of).where('version_id', '=', of.versionId))
const findNewestWithBytes = statement((db, of: Params<OfKey>) =>
  summaries(db, of).where('is_delete_marker', '=', 0).orderBy('rseq').limit(1),
)

/** The given version of a key, or its newest one. */
export async function findVersionSummary(
  read: Reader,
  { bucket, key }: BucketKey,
  versionId?: string,
): Promise<VersionSummary | undefined> {
  return versionId === undefined
    ? await read.get(findNewest, { bucketId: bucket.id, key })
    : await read.get(findById, { bucketId: bucket.id, key, versionId })
}

/** The newest version of a key that is not a delete marker. */
export async function findNewestData(read: Reader, { bucket, key }: BucketKey): Promise<VersionSummary | undefined> {
  return await read.get(findNewestWithBytes, { bucketId: bucket.id, key })
}

const countVersions = statement((db, { bucketId, key }: Params<OfKey>) =>
  db
    .selectFrom('object_versions')
    .select(({ fn }) => [
      'content_id as contentId',
      fn.countAll<number>().as('versions'),
      sql<number>`cast(sum(size) as bigint)`.as('bytes'),
    ])
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .groupBy('content_id'),
)

/** Number of versions of a key per content, and their total size. `contentId` is null for delete markers. */
export async function countByContent(
  read: Reader,
  { bucket, key }: BucketKey,
): Promise<readonly { readonly contentId: number | null; readonly versions: number; readonly bytes: number }[]> {
  return await read.all(countVersions, { bucketId: bucket.id, key })
}

const versionsOfKey = (db: QueryCreator<StorageTables>, { bucketId, key }: Params<OfKey>) =>
  db.deleteFrom('object_versions').where('bucket_id', '=', bucketId).where('key', '=', key)

const removeVersion = statement((db, of: Params<OfRow>) => versionsOfKey(db, of).where('rseq', '=', of.rseq))
const removeVersions = statement((db, of: Params<OfKey>) => versionsOfKey(db, of))
const removeMarkersAbove = statement((db, of: Params<OfRow>) =>
  versionsOfKey(db, of).where('rseq', '<', of.rseq).where('is_delete_marker', '=', 1),
)

/** Deletes one version. Call updateKeyState and dropReferences in the same transaction. */
export async function deleteVersionRow(tx: Tx, { bucket, key }: BucketKey, rseq: number): Promise<void> {
  await tx.run(removeVersion, { bucketId: bucket.id, key, rseq })
}

export async function deleteKeyRows(tx: Tx, { bucket, key }: BucketKey): Promise<void> {
  await tx.run(removeVersions, { bucketId: bucket.id, key })
}

/** Deletes the delete markers newer than a version. */
export async function deleteMarkersAbove(tx: Tx, { bucket, key }: BucketKey, rseq: number): Promise<void> {
  await tx.run(removeMarkersAbove, { bucketId: bucket.id, key, rseq })
}

interface Copy extends OfRow {
  readonly sourceRseq: number
  readonly versionId: string
  readonly nowMs: number
}

const headerColumns = ['content_type', 'headers', 'user_metadata', 'checksums', 'tags', 'multipart_parts'] as const
const copied = ['bucket_id', 'key', 'content_id', 'is_delete_marker', 'size', 'etag', ...headerColumns] as const

const copyVersion = statement((db, { bucketId, key, sourceRseq, rseq, versionId, nowMs }: Params<Copy>) =>
  db
    .insertInto('object_versions')
    .columns([...copied, 'rseq', 'version_id', 'created_at'])
    .expression((source) =>
      source
        .selectFrom('object_versions')
        .select(copied)
        .select([sql<number>`${rseq}`.as('rseq'), sql<string>`${versionId}`.as('version_id'), sql<number>`${nowMs}`.as('created_at')])
        .where('bucket_id', '=', bucketId)
        .where('key', '=', key)
        .where('rseq', '=', sourceRseq),
    ),
)

interface CopiedVersion extends BucketKey {
  readonly source: VersionSummary
  readonly versionId: string
  readonly nowMs: number
}

/** Inserts a new current version as a copy of `source` with another id and time. */
export async function copyVersionRow(tx: Tx, { bucket, key, source, versionId, nowMs }: CopiedVersion): Promise<void> {
  const rseq = nextRseq(nowMs, await findVersionSummary(tx, { bucket, key }))
  await tx.run(copyVersion, { bucketId: bucket.id, key, sourceRseq: source.rseq, rseq, versionId, nowMs })
}

/** Data versions added (positive) or deleted (negative), and their bytes. */
interface VersionsChange {
  readonly versions: number
  readonly versionBytes: number
}

const findHead = statement((db, { bucketId, key }: Params<OfKey>) =>
  db.selectFrom('object_heads').select('size').where('bucket_id', '=', bucketId).where('key', '=', key),
)

/**
 * Rewrites the head, tombstone and counters of a key from its version rows, in the transaction that changed them (I-17). Throws
 * `bucket_not_found` when the bucket was deleted.
 */
export async function updateKeyState(tx: Tx, { bucket, key }: BucketKey, change: VersionsChange): Promise<void> {
  const of = { bucketId: bucket.id, key }
  const head = await tx.get(findHead, of)
  const { changes: wasDeleted } = await tx.run(removeTombstone, of)
  const newest = await findVersionSummary(tx, { bucket, key })
  const live = newest?.contentId == null ? undefined : { ...newest, contentId: newest.contentId }
  if (live) await tx.run(setHead, { ...of, ...live, nowMs: live.createdAtMs, checksum: checksumName(live.checksums) })
  else if (head) await tx.run(removeHead, of)
  const deleted = live ? undefined : newest
  if (deleted) {
    const isRestorable = (await findNewestData(tx, { bucket, key })) ? 1 : 0
    await tx.run(writeTombstone, { ...of, ...deleted, nowMs: deleted.createdAtMs, isRestorable })
  }
  const isKept = await changeStats(tx, bucket.id, {
    ...change,
    liveObjects: (live ? 1 : 0) - (head ? 1 : 0),
    liveBytes: (live?.size ?? 0) - (head?.size ?? 0),
    tombstones: (deleted ? 1 : 0) - wasDeleted,
  })
  if (!isKept) throw bucketNotFound(bucket.name)
}

export function versionNotFound({ bucket, key }: BucketKey, versionId: string): Error {
  return storageErrors.version_not_found({ message: `there is no version '${versionId}' of '${key}' in bucket '${bucket.name}'` })
}
