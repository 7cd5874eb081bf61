import type { Reader, Tx } from '#kernel'
import type { Bucket } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { changeStats } from './bucket-store.ts'
import { nextRseq } from './version-store.ts'

/** A bucket and one of its keys. */
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
  readonly createdAtMs: number
}

const summaryColumns = `rseq, version_id as "versionId", content_id as "contentId", size, etag, created_at as "createdAtMs"`

/** The given version of a key, or its newest one. */
export async function findVersionSummary(
  read: Reader,
  { bucket, key }: BucketKey,
  versionId?: string,
): Promise<VersionSummary | undefined> {
  const from = `select ${summaryColumns} from object_versions where bucket_id = ? and key = ?`
  return versionId === undefined
    ? read.get<VersionSummary>(`${from} order by rseq limit 1`, bucket.id, key)
    : read.get<VersionSummary>(`${from} and version_id = ?`, bucket.id, key, versionId)
}

/** The newest version of a key that is not a delete marker. */
export async function findNewestData(read: Reader, { bucket, key }: BucketKey): Promise<VersionSummary | undefined> {
  return read.get<VersionSummary>(
    `select ${summaryColumns} from object_versions where bucket_id = ? and key = ? and is_delete_marker = 0 order by rseq limit 1`,
    bucket.id,
    key,
  )
}

/** Number of versions of a key per content, and their total size. `contentId` is null for delete markers. */
export async function countByContent(
  read: Reader,
  { bucket, key }: BucketKey,
): Promise<readonly { readonly contentId: number | null; readonly versions: number; readonly bytes: number }[]> {
  return read.all(
    `select content_id as "contentId", count(*) as versions, sum(size) as bytes from object_versions
     where bucket_id = ? and key = ? group by content_id`,
    bucket.id,
    key,
  )
}

/** Deletes one version. Call updateKeyState and dropReferences in the same transaction. */
export async function deleteVersionRow(tx: Tx, { bucket, key }: BucketKey, rseq: number): Promise<void> {
  tx.run('delete from object_versions where bucket_id = ? and key = ? and rseq = ?', bucket.id, key, rseq)
}

/** Deletes all versions and delete markers of a key. */
export async function deleteKeyRows(tx: Tx, { bucket, key }: BucketKey): Promise<void> {
  tx.run('delete from object_versions where bucket_id = ? and key = ?', bucket.id, key)
}

/** Deletes the delete markers newer than a version. */
export async function deleteMarkersAbove(tx: Tx, { bucket, key }: BucketKey, rseq: number): Promise<void> {
  tx.run('delete from object_versions where bucket_id = ? and key = ? and rseq < ? and is_delete_marker = 1', bucket.id, key, rseq)
}

interface CopiedVersion extends BucketKey {
  readonly source: VersionSummary
  readonly versionId: string
  readonly nowMs: number
}

/** Inserts a new current version as a copy of `source` with another id and time. */
export async function copyVersionRow(tx: Tx, { bucket, key, source, versionId, nowMs }: CopiedVersion): Promise<void> {
  tx.run(
    `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, headers,
       user_metadata, checksums, created_at)
     select bucket_id, key, ?, ?, content_id, 0, size, etag, content_type, headers, user_metadata, checksums, ?
     from object_versions where bucket_id = ? and key = ? and rseq = ?`,
    nextRseq(nowMs, await findVersionSummary(tx, { bucket, key })),
    versionId,
    nowMs,
    bucket.id,
    key,
    source.rseq,
  )
}

/** Data versions added (positive) or deleted (negative), and their bytes. */
interface VersionsChange {
  readonly versions: number
  readonly versionBytes: number
}

/**
 * Rewrites the head, tombstone and counters of a key from its version rows, in the transaction that changed them (I-17). Throws
 * `bucket_not_found` when the bucket was deleted.
 */
export async function updateKeyState(tx: Tx, { bucket, key }: BucketKey, change: VersionsChange): Promise<void> {
  const head = tx.get<{ id: number; size: number }>('select id, size from object_heads where bucket_id = ? and key = ?', bucket.id, key)
  const wasDeleted = tx.run('delete from object_tombstones where bucket_id = ? and key = ?', bucket.id, key).changes
  if (head) tx.run('delete from object_heads where bucket_id = ? and key = ?', bucket.id, key)
  const newest = await findVersionSummary(tx, { bucket, key })
  const isLive = newest !== undefined && newest.contentId !== null
  if (isLive) await writeHead(tx, { bucket, key }, { ...newest, id: head?.id ?? null })
  else if (newest) await writeTombstone(tx, { bucket, key }, newest)
  const isKept = await changeStats(tx, bucket.id, {
    ...change,
    liveObjects: (isLive ? 1 : 0) - (head ? 1 : 0),
    liveBytes: (isLive ? newest.size : 0) - (head?.size ?? 0),
    tombstones: (newest && !isLive ? 1 : 0) - wasDeleted,
  })
  if (!isKept) throw storageErrors.bucket_not_found({ message: `bucket '${bucket.name}' was deleted` })
}

/** A head without an id gets the next one. */
async function writeHead(tx: Tx, { bucket, key }: BucketKey, newest: VersionSummary & { readonly id: number | null }): Promise<void> {
  tx.run(
    `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified, id) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bucket.id,
    key,
    newest.versionId,
    newest.rseq,
    newest.contentId,
    newest.size,
    newest.etag,
    newest.createdAtMs,
    newest.id,
  )
}

async function writeTombstone(tx: Tx, { bucket, key }: BucketKey, newest: VersionSummary): Promise<void> {
  tx.run(
    `insert into object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable) values (?, ?, ?, ?, ?, ?)`,
    bucket.id,
    key,
    newest.versionId,
    newest.rseq,
    newest.createdAtMs,
    (await findNewestData(tx, { bucket, key })) ? 1 : 0,
  )
}

export function versionNotFound({ bucket, key }: BucketKey, versionId: string): Error {
  return storageErrors.version_not_found({ message: `there is no version '${versionId}' of '${key}' in bucket '${bucket.name}'` })
}
