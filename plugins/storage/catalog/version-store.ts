import type { Reader, Tx } from '#kernel'
import type { Bucket, NeededContent, ObjectHeaders, ObjectVersion } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { changeStats } from './bucket-store.ts'
import { type BlobRef, type ExpectedBlob, type PlacedBlob, placeBlob } from './cache-entry-store.ts'
import { attachContent } from './content-store.ts'
import { formatTexts, StoredVersion, type VersionRow } from './stored-version.ts'

/** Number of versions of a key that can be ordered within one millisecond. The rseq stays below 2^53 until the year 2248. */
export const versionsPerMs = 1024

export type Condition = (current: ObjectVersion | undefined) => void

interface PutVersion {
  readonly bucket: Bucket
  readonly key: string
  readonly versionId: string
  readonly nowMs: number
  readonly size: number
  readonly etag: string
  readonly sha256: string
  readonly headers: ObjectHeaders
  readonly blob: BlobRef
  readonly condition: Condition | undefined
}

export interface PutResult extends PlacedBlob {
  readonly version: ObjectVersion
  readonly content: NeededContent
}

/** The newest version of a key, as needed to write the next one. */
interface Head {
  readonly rseq: number
  readonly size: number
  readonly is_delete_marker: number
}

/** Columns of a VersionRow, of the table alias `v`. */
export const versionColumns = `v.bucket_id, v.key, v.rseq, v.version_id, v.content_id, v.is_delete_marker, v.size, v.etag, v.content_type,
  v.headers, v.user_metadata, v.checksums, v.created_at`
const cachedColumns = 'e.accessed_at, b.blob_id, b.epoch, b.length, c.sha256'
const cachedJoins = `left join cache_entries e on e.content_id = v.content_id and e.state = 'present'
  left join cache_blobs b on b.content_id = e.content_id and b.ordinal = 0 left join contents c on c.id = b.content_id`
const newestOfKey = 'where v.bucket_id = ? and v.key = ? order by v.rseq limit 1'
const oneById = 'where v.version_id = ? and v.bucket_id = ? and v.key = ?'
const isNewest = '(select min(n.rseq) from object_versions n where n.bucket_id = v.bucket_id and n.key = v.key) = v.rseq as is_current'

const sql = {
  head: `select v.rseq, v.size, v.is_delete_marker from object_versions v ${newestOfKey}`,
  current: `select ${versionColumns} from object_versions v ${newestOfKey}`,
  byId: `select ${versionColumns}, ${isNewest} from object_versions v ${oneById}`,
  locateCurrent: `select ${versionColumns}, ${cachedColumns} from object_versions v ${cachedJoins} ${newestOfKey}`,
  locateById: `select ${versionColumns}, ${isNewest}, ${cachedColumns} from object_versions v ${cachedJoins} ${oneById}`,
}

/** One index lookup: the current version is the first row of its key. */
export async function findVersion(read: Reader, bucketId: number, key: string, versionId?: string): Promise<ObjectVersion | undefined> {
  if (versionId === undefined) {
    const row = read.get<VersionRow>(sql.current, bucketId, key)
    return row && new StoredVersion(row, true)
  }
  const row = read.get<VersionRow & { readonly is_current: number }>(sql.byId, versionId, bucketId, key)
  return row && new StoredVersion(row, row.is_current === 1)
}

export interface LocatedVersion {
  readonly version: ObjectVersion
  /** The cached file of the version; undefined when it is not cached. */
  readonly blob: ExpectedBlob | undefined
  readonly accessedAtMs: number
}

interface LocatedRow extends VersionRow {
  readonly is_current?: number
  readonly accessed_at: number | null
  readonly blob_id: string | null
  readonly epoch: number
  readonly length: number
  readonly sha256: string | null
}

/** Like findVersion; the same lookup also returns the cached file. */
export async function locateVersion(read: Reader, bucketId: number, key: string, versionId?: string): Promise<LocatedVersion | undefined> {
  const row =
    versionId === undefined
      ? read.get<LocatedRow>(sql.locateCurrent, bucketId, key)
      : read.get<LocatedRow>(sql.locateById, versionId, bucketId, key)
  if (!row) return undefined
  const blob = row.blob_id === null ? undefined : { blobId: row.blob_id, epoch: row.epoch, length: row.length, sha256: row.sha256 }
  return { version: new StoredVersion(row, row.is_current !== 0), blob, accessedAtMs: row.accessed_at ?? 0 }
}

/** Makes new bytes the current version of a key, with a head and no tombstone (I-17). Throws errors of the condition, and `bucket_not_found` when the bucket was deleted. */
export async function putVersion(tx: Tx, put: PutVersion): Promise<PutResult> {
  const { bucket, key, nowMs, size } = put
  const head = await readHead(tx, put)
  const content = await attachContent(tx, {
    bucketId: bucket.id,
    identity: `s256:${put.sha256}`,
    sha256: put.sha256,
    size,
    targetCopies: bucket.defaultCopies,
    nowMs,
  })
  const placed = await placeBlob(tx, {
    contentId: content.id,
    blob: put.blob,
    nowMs,
    isNewContent: content.reason === 'new',
  })
  const rseq = nextRseq(nowMs, head)
  await insertVersion(tx, put, { rseq, contentId: content.id })
  await writeHead(tx, put, { rseq, contentId: content.id })
  const isLive = head?.is_delete_marker === 0
  if (head?.is_delete_marker === 1) tx.run('delete from object_tombstones where bucket_id = ? and key = ?', bucket.id, key)
  await count(tx, bucket, {
    liveObjects: isLive ? 0 : 1,
    liveBytes: size - (isLive ? head.size : 0),
    versions: 1,
    versionBytes: size,
    tombstones: head?.is_delete_marker === 1 ? -1 : 0,
  })
  return { version: describe(put, content.id), content, ...placed }
}

interface PutMarker {
  readonly bucket: Bucket
  readonly key: string
  readonly versionId: string
  readonly nowMs: number
  readonly condition: Condition | undefined
}

/** Makes a delete marker the current version of a key, with a tombstone and no head (I-17), even if the key has no versions. */
export async function putDeleteMarker(tx: Tx, put: PutMarker): Promise<ObjectVersion> {
  const { bucket, key, versionId, nowMs } = put
  const head = await readHead(tx, put)
  const rseq = nextRseq(nowMs, head)
  const marker = { ...put, size: 0, etag: '', headers: markerHeaders }
  await insertVersion(tx, marker, { rseq, contentId: null })
  const isLive = head?.is_delete_marker === 0
  if (isLive) tx.run('delete from object_heads where bucket_id = ? and key = ?', bucket.id, key)
  tx.run(
    `insert into object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable) values (?, ?, ?, ?, ?, ?)
     on conflict (bucket_id, key) do update set
       marker_version_id = excluded.marker_version_id, rseq = excluded.rseq, deleted_at = excluded.deleted_at`,
    bucket.id,
    key,
    versionId,
    rseq,
    nowMs,
    isLive ? 1 : 0,
  )
  await count(tx, bucket, {
    liveObjects: isLive ? -1 : 0,
    liveBytes: isLive ? -head.size : 0,
    versions: 0,
    versionBytes: 0,
    tombstones: head?.is_delete_marker === 1 ? 0 : 1,
  })
  return describe(marker, null)
}

const markerHeaders: ObjectHeaders = { contentType: '', system: {}, user: {}, checksums: {} }

/** The newest version cannot change before the commit, because there is only one writer. */
async function readHead(tx: Tx, { bucket, key, condition }: Pick<PutVersion, 'bucket' | 'key' | 'condition'>): Promise<Head | undefined> {
  if (!condition) return tx.get<Head>(sql.head, bucket.id, key)
  const row = tx.get<VersionRow>(sql.current, bucket.id, key)
  condition(row && new StoredVersion(row, true))
  return row
}

/** An rseq newer than `head`, even if the clock went back. Negated, so that the newest version sorts first. */
export const nextRseq = (nowMs: number, head: Pick<Head, 'rseq'> | undefined): number =>
  -Math.max(nowMs * versionsPerMs, head ? 1 - head.rseq : 0)

interface Place {
  readonly rseq: number
  readonly contentId: number | null
}

type NewVersion = Pick<PutVersion, 'bucket' | 'key' | 'versionId' | 'nowMs' | 'size' | 'etag' | 'headers'>

async function insertVersion(tx: Tx, put: NewVersion, { rseq, contentId }: Place): Promise<void> {
  const { contentType, system, user, checksums } = put.headers
  tx.run(
    `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, headers,
       user_metadata, checksums, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    put.bucket.id,
    put.key,
    rseq,
    put.versionId,
    contentId,
    contentId === null ? 1 : 0,
    put.size,
    put.etag,
    contentType,
    formatTexts(system),
    formatTexts(user),
    formatTexts(checksums),
    put.nowMs,
  )
}

async function writeHead(tx: Tx, put: NewVersion, { rseq, contentId }: Place): Promise<void> {
  tx.run(
    `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (bucket_id, key) do update set version_id = excluded.version_id, rseq = excluded.rseq,
       content_id = excluded.content_id, size = excluded.size, etag = excluded.etag, last_modified = excluded.last_modified`,
    put.bucket.id,
    put.key,
    put.versionId,
    rseq,
    contentId,
    put.size,
    put.etag,
    put.nowMs,
  )
}

async function count(tx: Tx, bucket: Bucket, change: Parameters<typeof changeStats>[2]): Promise<void> {
  // The bucket was deleted after the request looked it up: throw to roll back.
  if (!(await changeStats(tx, bucket.id, change))) throw storageErrors.bucket_not_found({ message: `bucket '${bucket.name}' was deleted` })
}

const describe = (put: NewVersion, contentId: number | null): ObjectVersion => ({
  bucketId: put.bucket.id,
  key: put.key,
  versionId: put.versionId,
  isDeleteMarker: contentId === null,
  isCurrent: true,
  contentId,
  size: put.size,
  etag: put.etag,
  headers: put.headers,
  createdAtMs: put.nowMs,
})
