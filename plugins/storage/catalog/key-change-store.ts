import type { Reader, Tx } from '#kernel'
import type { Bucket } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { changeStats } from './bucket-store.ts'
import { nextRseq } from './version-store.ts'

/** A key of a bucket, inside a transaction. */
export interface KeyOf {
  readonly bucket: Bucket
  readonly key: string
}

/** What is known of a version without its headers. */
export interface VersionFacts {
  readonly rseq: number
  readonly versionId: string
  readonly contentId: number | null
  readonly size: number
  readonly etag: string
  readonly createdAtMs: number
}

const facts = `rseq, version_id as "versionId", content_id as "contentId", size, etag, created_at as "createdAtMs"`

/** A version of a key, or its newest one. A delete marker has no content. */
export function findFacts(read: Reader, { bucket, key }: KeyOf, versionId?: string): VersionFacts | undefined {
  const from = `select ${facts} from object_versions where bucket_id = ? and key = ?`
  return versionId === undefined
    ? read.get<VersionFacts>(`${from} order by rseq limit 1`, bucket.id, key)
    : read.get<VersionFacts>(`${from} and version_id = ?`, bucket.id, key, versionId)
}

/** The newest version of a key that has bytes. */
export function findNewestData(read: Reader, { bucket, key }: KeyOf): VersionFacts | undefined {
  return read.get<VersionFacts>(
    `select ${facts} from object_versions where bucket_id = ? and key = ? and is_delete_marker = 0 order by rseq limit 1`,
    bucket.id,
    key,
  )
}

/** How many versions of a key point at each content; null for its delete markers. */
export function countByContent(
  read: Reader,
  { bucket, key }: KeyOf,
): readonly { readonly contentId: number | null; readonly versions: number; readonly bytes: number }[] {
  return read.all(
    `select content_id as "contentId", count(*) as versions, sum(size) as bytes from object_versions
     where bucket_id = ? and key = ? group by content_id`,
    bucket.id,
    key,
  )
}

/** Removes one version. Call settleKey and dropReferences in the same transaction. */
export function deleteVersionRow(tx: Tx, { bucket, key }: KeyOf, rseq: number): void {
  tx.run('delete from object_versions where bucket_id = ? and key = ? and rseq = ?', bucket.id, key, rseq)
}

/** Removes every version and marker of a key. */
export function deleteKeyRows(tx: Tx, { bucket, key }: KeyOf): void {
  tx.run('delete from object_versions where bucket_id = ? and key = ?', bucket.id, key)
}

/** Removes the markers on top of a version. */
export function deleteMarkersAbove(tx: Tx, { bucket, key }: KeyOf, rseq: number): void {
  tx.run('delete from object_versions where bucket_id = ? and key = ? and rseq < ? and is_delete_marker = 1', bucket.id, key, rseq)
}

export interface CopiedVersion extends KeyOf {
  readonly source: VersionFacts
  readonly versionId: string
  readonly nowMs: number
}

/** A new version that points at the content of an older one and is as it in everything but its id and time. */
export function copyVersionRow(tx: Tx, { bucket, key, source, versionId, nowMs }: CopiedVersion): void {
  tx.run(
    `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, headers,
       user_metadata, checksums, created_at)
     select bucket_id, key, ?, ?, content_id, 0, size, etag, content_type, headers, user_metadata, checksums, ?
     from object_versions where bucket_id = ? and key = ? and rseq = ?`,
    nextRseq(nowMs, findFacts(tx, { bucket, key })),
    versionId,
    nowMs,
    bucket.id,
    key,
    source.rseq,
  )
}

/** Data versions that came (positive) or went. */
export interface VersionsChange {
  readonly versions: number
  readonly versionBytes: number
}

/**
 * Brings head, tombstone and counts of a key in line with its rows, in the transaction that changed them (I-17). Throws
 * `bucket_not_found` when the bucket is gone.
 */
export function settleKey(tx: Tx, { bucket, key }: KeyOf, change: VersionsChange): void {
  const head = tx.get<{ id: number; size: number }>('select id, size from object_heads where bucket_id = ? and key = ?', bucket.id, key)
  const wasDeleted = tx.run('delete from object_tombstones where bucket_id = ? and key = ?', bucket.id, key).changes
  if (head) tx.run('delete from object_heads where bucket_id = ? and key = ?', bucket.id, key)
  const newest = findFacts(tx, { bucket, key })
  const isLive = newest !== undefined && newest.contentId !== null
  if (isLive) writeHead(tx, { bucket, key }, { ...newest, id: head?.id ?? null })
  else if (newest) writeTombstone(tx, { bucket, key }, newest)
  const isKept = changeStats(tx, bucket.id, {
    ...change,
    liveObjects: (isLive ? 1 : 0) - (head ? 1 : 0),
    liveBytes: (isLive ? newest.size : 0) - (head?.size ?? 0),
    tombstones: (newest && !isLive ? 1 : 0) - wasDeleted,
  })
  if (!isKept) throw storageErrors.bucket_not_found({ message: `bucket '${bucket.name}' was deleted` })
}

/** A head without an id gets the next one. */
function writeHead(tx: Tx, { bucket, key }: KeyOf, newest: VersionFacts & { readonly id: number | null }): void {
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

function writeTombstone(tx: Tx, { bucket, key }: KeyOf, newest: VersionFacts): void {
  tx.run(
    `insert into object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable) values (?, ?, ?, ?, ?, ?)`,
    bucket.id,
    key,
    newest.versionId,
    newest.rseq,
    newest.createdAtMs,
    findNewestData(tx, { bucket, key }) ? 1 : 0,
  )
}

/** Refuses a version that is not there. */
export function versionNotFound({ bucket, key }: KeyOf, versionId: string): Error {
  return storageErrors.version_not_found({ message: `there is no version '${versionId}' of '${key}' in bucket '${bucket.name}'` })
}
