/** @walk put 13: makes the version visible in one transaction */
import { type QueryCreator, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { Bucket, NeededContent, ObjectHeaders, ObjectVersion, RecordVersion } from '../../contract.ts'
import { bucketNotFound } from '../buckets/bucket-not-found.ts'
import { changeStats, hasStats } from '../buckets/bucket-store.ts'
import type { PlacedBlob } from '../cached/cache-entry-store.ts'
import { type StorageTables, statement } from '../entities/tables.ts'
import { type OfKey, type OfVersion, removeHead, removeTombstone, setHead, writeTombstone } from './head-store.ts'
import { checksumName, formatTexts, StoredVersion, type VersionRow, versionColumns } from './stored-version.ts'

/** Number of versions of a key that can be ordered within one millisecond. The rseq stays below 2^53 until the year 2248. */
export const versionsPerMs = 1024

export type Condition = (current: ObjectVersion | undefined) => void

/** A version that becomes the current one of its key. */
export interface NewCurrent {
  readonly bucket: Bucket
  readonly key: string
  readonly versionId: string
  readonly nowMs: number
  readonly size: number
  readonly etag: string
  readonly headers: ObjectHeaders
  readonly condition: Condition | undefined
  readonly record?: RecordVersion | undefined
  /** JSON; only of a version that was made by an upload in parts. */
  readonly multipartParts?: string | null
}

/** A content that got a reference for a version. */
export interface Referred extends PlacedBlob {
  readonly content: NeededContent
  /** The contents with bytes for which keepers must know the reference: the content, the parts of a composite, or none. */
  readonly needsCopies: readonly NeededContent[]
}

export interface PutResult extends Referred {
  readonly version: ObjectVersion
}

type Head = Pick<VersionRow, 'rseq' | 'size' | 'isDeleteMarker'>

export const isNewest = sql<number>`(select min(n.rseq) from object_versions n where n.bucket_id = v.bucket_id and n.key = v.key) = v.rseq`

export const versions = (db: QueryCreator<StorageTables>) => db.selectFrom('object_versions as v')

/** The current version is the one with the smallest `rseq` of its key. A row without a version: the key has none. No row: the bucket was deleted. */
const findHead = statement((db, { bucketId, key }: Params<OfKey>) =>
  db
    .selectFrom('bucket_stats as s')
    .leftJoin('object_versions as v', (join) =>
      join
        .onRef('v.bucket_id', '=', 's.bucket_id')
        .on('v.key', '=', key)
        // Not `order by` with a limit: PostgreSQL would read and sort all versions of the key.
        .on('v.rseq', '=', ({ selectFrom }) =>
          selectFrom('object_versions as n')
            .select(({ fn }) => fn.min('n.rseq').as('rseq'))
            .where('n.bucket_id', '=', bucketId)
            .where('n.key', '=', key),
        ),
    )
    .select(['v.rseq', 'v.size', 'v.is_delete_marker as isDeleteMarker'])
    .where('s.bucket_id', '=', bucketId)
    // Until the commit no other transaction deletes the bucket.
    .forUpdate(['s']),
)
const findCurrent = statement((db, { bucketId, key }: Params<OfKey>) =>
  versions(db).select(versionColumns).where('v.bucket_id', '=', bucketId).where('v.key', '=', key).orderBy('v.rseq').limit(1),
)
const findById = statement((db, { versionId, bucketId, key }: Params<OfVersion>) =>
  versions(db)
    .select([...versionColumns, isNewest.as('isCurrent')])
    .where('v.version_id', '=', versionId)
    .where('v.bucket_id', '=', bucketId)
    .where('v.key', '=', key),
)

/** One index lookup. */
export async function findVersion(read: Reader, bucketId: number, key: string, versionId?: string): Promise<StoredVersion | undefined> {
  if (versionId === undefined) {
    const row = await read.get(findCurrent, { bucketId, key })
    return row && new StoredVersion(row, true)
  }
  const row = await read.get(findById, { versionId, bucketId, key })
  return row && new StoredVersion(row, row.isCurrent === 1)
}

/**
 * Adds the current version of a key, with a head and no tombstone (I-17), and a reference to its content, which `refer` makes. Throws errors
 * of the condition, and `bucket_not_found` when the bucket was deleted.
 */
export async function addCurrent(tx: Tx, put: NewCurrent, refer: () => Promise<Referred>): Promise<PutResult> {
  const { bucket, key, nowMs, size } = put
  const head = await readHead(tx, put)
  const referred = await refer()
  const { content } = referred
  const rseq = nextRseq(nowMs, head)
  await insertVersion(tx, put, { rseq, contentId: content.id })
  const { versionId, etag } = put
  const checksum = checksumName(formatTexts(put.headers.checksums))
  await tx.run(setHead, { bucketId: bucket.id, key, versionId, rseq, contentId: content.id, size, etag, checksum, nowMs })
  const isLive = head?.isDeleteMarker === 0
  if (head?.isDeleteMarker === 1) await tx.run(removeTombstone, { bucketId: bucket.id, key })
  await count(tx, bucket, {
    liveObjects: isLive ? 0 : 1,
    liveBytes: size - (isLive ? head.size : 0),
    versions: 1,
    versionBytes: size,
    tombstones: head?.isDeleteMarker === 1 ? -1 : 0,
  })
  const version = describe(put, content.id)
  if (put.record) await put.record(tx, version)
  return { ...referred, version }
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
  const isLive = head?.isDeleteMarker === 0
  if (isLive) await tx.run(removeHead, { bucketId: bucket.id, key })
  await tx.run(writeTombstone, { bucketId: bucket.id, key, versionId, rseq, nowMs, isRestorable: isLive ? 1 : 0 })
  await count(tx, bucket, {
    liveObjects: isLive ? -1 : 0,
    liveBytes: isLive ? -head.size : 0,
    versions: 0,
    versionBytes: 0,
    tombstones: head?.isDeleteMarker === 1 ? 0 : 1,
  })
  return describe(marker, null)
}

const markerHeaders: ObjectHeaders = { contentType: '', system: {}, user: {}, checksums: {} }

/** The newest version cannot change before the commit, because there is only one writer. */
async function readHead(tx: Tx, { bucket, key, condition }: Pick<NewCurrent, 'bucket' | 'key' | 'condition'>): Promise<Head | undefined> {
  const of = { bucketId: bucket.id, key }
  // A missing row means that the bucket was deleted after the request looked it up. The refusal precedes any insert, whose foreign key would fail.
  if (!condition) return headOf((await tx.get(findHead, of)) ?? refuse(bucket))
  if (!(await hasStats(tx, bucket.id))) refuse(bucket)
  const row = await tx.get(findCurrent, of)
  condition(row && new StoredVersion(row, true))
  return row
}

function refuse(bucket: Bucket): never {
  throw bucketNotFound(bucket.name)
}

type FoundHead = { readonly [Column in keyof Head]: Head[Column] | null }

function headOf({ rseq, size, isDeleteMarker }: FoundHead): Head | undefined {
  return rseq === null || size === null || isDeleteMarker === null ? undefined : { rseq, size, isDeleteMarker }
}

/** An rseq newer than `head`, even if the clock went back. Negated, so that the newest version sorts first. */
export const nextRseq = (nowMs: number, head: Pick<Head, 'rseq'> | undefined): number =>
  -Math.max(nowMs * versionsPerMs, head ? 1 - head.rseq : 0)

type Place = Pick<VersionRow, 'rseq' | 'contentId'>

type NewVersion = Omit<NewCurrent, 'condition' | 'record'>

const addVersion = statement((db, version: Params<VersionRow & { multipartParts: string | null }>) =>
  db.insertInto('object_versions').values({
    bucket_id: version.bucketId,
    key: version.key,
    rseq: version.rseq,
    version_id: version.versionId,
    content_id: version.contentId,
    is_delete_marker: version.isDeleteMarker,
    size: version.size,
    etag: version.etag,
    content_type: version.contentType,
    headers: version.headers,
    user_metadata: version.userMetadata,
    checksums: version.checksums,
    tags: version.tags,
    created_at: version.createdAtMs,
    multipart_parts: version.multipartParts,
  }),
)

async function insertVersion(tx: Tx, put: NewVersion, { rseq, contentId }: Place): Promise<void> {
  const { contentType, system, user, checksums, tags = {} } = put.headers
  await tx.run(addVersion, {
    bucketId: put.bucket.id,
    key: put.key,
    rseq,
    versionId: put.versionId,
    contentId,
    isDeleteMarker: contentId === null ? 1 : 0,
    size: put.size,
    etag: put.etag,
    contentType,
    headers: formatTexts(system),
    userMetadata: formatTexts(user),
    checksums: formatTexts(checksums),
    tags: formatTexts(tags),
    createdAtMs: put.nowMs,
    multipartParts: put.multipartParts ?? null,
  })
}

async function count(tx: Tx, bucket: Bucket, change: Parameters<typeof changeStats>[2]): Promise<void> {
  if (!(await changeStats(tx, bucket.id, change))) throw bucketNotFound(bucket.name)
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
