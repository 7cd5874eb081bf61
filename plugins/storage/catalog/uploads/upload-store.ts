import type { QueryCreator } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { Upload } from '../../contract.ts'
import { type StorageTables, statement } from '../entities/tables.ts'
import { formatTexts, parseTexts } from '../versions/stored-version.ts'

const uploadColumns = [
  'upload_id as id',
  'bucket_id as bucketId',
  'key',
  'state',
  'content_type as contentType',
  'headers',
  'user_metadata as userMetadata',
  'tags',
  'checksum_algorithm as checksumAlgorithm',
  'checksum_type as checksumType',
  'initiator',
  'created_at as createdAtMs',
  'version_id as versionId',
  'named_parts as namedParts',
] as const

export interface UploadKey {
  readonly bucketId: number
  readonly key: string
  readonly uploadId: string
}

interface OfUpload {
  readonly uploadId: string
}

const uploadsOf = (db: QueryCreator<StorageTables>, { uploadId, bucketId, key }: Params<UploadKey>) =>
  db.selectFrom('uploads').select(uploadColumns).where('upload_id', '=', uploadId).where('bucket_id', '=', bucketId).where('key', '=', key)

const findAny = statement((db, of: Params<UploadKey>) => uploadsOf(db, of))
const lock = statement((db, of: Params<UploadKey>) => uploadsOf(db, of).where('state', '=', 'open').forUpdate())
const lockIdle = statement((db, { uploadId, before }: Params<OfUpload & { before: number }>) =>
  db
    .selectFrom('uploads')
    .select('upload_id')
    .where('upload_id', '=', uploadId)
    .where('state', '=', 'open')
    .where('active_at', '<', before)
    .forUpdate(),
)

interface NewUpload {
  readonly id: string
  readonly bucketId: number
  readonly key: string
  readonly contentType: string
  readonly headers: string | null
  readonly userMetadata: string | null
  readonly tags: string | null
  readonly checksumAlgorithm: string | null
  readonly checksumType: string | null
  readonly initiator: string | null
  readonly createdAtMs: number
}

/** No row when the bucket was deleted. */
const add = statement((db, upload: Params<NewUpload>) =>
  db.insertInto('uploads').values({
    upload_id: upload.id,
    bucket_id: upload.bucketId,
    key: upload.key,
    content_type: upload.contentType,
    headers: upload.headers,
    user_metadata: upload.userMetadata,
    tags: upload.tags,
    checksum_algorithm: upload.checksumAlgorithm,
    checksum_type: upload.checksumType,
    initiator: upload.initiator,
    created_at: upload.createdAtMs,
    active_at: upload.createdAtMs,
  }),
)
const lockBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('buckets').select('id').where('id', '=', bucketId).where('deleted_at', 'is', null).forUpdate(),
)

const touch = statement((db, { uploadId, nowMs }: Params<OfUpload & { nowMs: number }>) =>
  db.updateTable('uploads').set({ active_at: nowMs }).where('upload_id', '=', uploadId),
)
const close = statement(
  (db, { uploadId, nowMs, versionId, namedParts }: Params<OfUpload & { nowMs: number; versionId: string; namedParts: string }>) =>
    db
      .updateTable('uploads')
      .set({ state: 'completed', active_at: nowMs, version_id: versionId, named_parts: namedParts })
      .where('upload_id', '=', uploadId),
)
const remove = statement((db, { uploadId }: Params<OfUpload>) => db.deleteFrom('uploads').where('upload_id', '=', uploadId))

interface Page {
  readonly bucketId: number
  readonly key: string
  readonly uploadId: string
  readonly limit: number
}

const openAfter = (db: QueryCreator<StorageTables>, { bucketId, key, uploadId, limit }: Params<Page>) =>
  db
    .selectFrom('uploads')
    .select(uploadColumns)
    .where('bucket_id', '=', bucketId)
    .where('state', '=', 'open')
    .where(({ eb, refTuple, tuple }) => eb(refTuple('key', 'upload_id'), '>', tuple(key, uploadId)))
    .orderBy('key')
    .orderBy('upload_id')
    .limit(limit)

const pageOpen = statement((db, page: Params<Page>) => openAfter(db, page))
const pageBounded = statement((db, page: Params<Page & { high: string }>) => openAfter(db, page).where('key', '<', page.high))

const removeCompleted = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.deleteFrom('uploads').where('bucket_id', '=', bucketId).where('state', '=', 'completed'),
)

const idle = statement((db, { before, limit }: Params<{ before: number; limit: number }>) =>
  db
    .selectFrom('uploads')
    .select('upload_id as id')
    .where('state', '=', 'open')
    .where('active_at', '<', before)
    .orderBy('active_at')
    .orderBy('upload_id')
    .limit(limit),
)
const forget = statement((db, { before }: Params<{ before: number }>) =>
  db.deleteFrom('uploads').where('state', '=', 'completed').where('active_at', '<', before),
)

/** An upload, and what is recorded when it was completed. */
export interface StoredUpload extends Upload {
  readonly completed: { readonly versionId: string; readonly namedParts: string } | undefined
}

interface UploadRow extends NewUpload {
  readonly state: 'open' | 'completed'
  readonly versionId: string | null
  readonly namedParts: string | null
}

function toUpload({ state, versionId, namedParts, contentType, headers, userMetadata, tags, ...row }: UploadRow): StoredUpload {
  return {
    ...row,
    headers: { contentType, system: parseTexts(headers), user: parseTexts(userMetadata), tags: parseTexts(tags) },
    completed: state === 'completed' ? { versionId: versionId ?? '', namedParts: namedParts ?? '' } : undefined,
  }
}

/** Returns false when the bucket was deleted. */
export async function insertUpload(tx: Tx, { headers, ...upload }: Upload): Promise<boolean> {
  if (!(await tx.get(lockBucket, { bucketId: upload.bucketId }))) return false
  const { contentType, system, user, tags = {} } = headers
  await tx.run(add, { ...upload, contentType, headers: formatTexts(system), userMetadata: formatTexts(user), tags: formatTexts(tags) })
  return true
}

/** Open or completed. */
export async function findUpload(read: Reader, of: UploadKey): Promise<StoredUpload | undefined> {
  const row = await read.get(findAny, of)
  return row && toUpload(row)
}

/** The open upload: it stays open until the transaction ends, unless the transaction closes it. */
export async function lockOpenUpload(tx: Tx, of: UploadKey): Promise<Upload | undefined> {
  const row = await tx.get(lock, of)
  return row && toUpload(row)
}

/** Whether the upload is open and had no part since `before`. */
export async function lockIdleUpload(tx: Tx, uploadId: string, before: number): Promise<boolean> {
  return (await tx.get(lockIdle, { uploadId, before })) !== undefined
}

export async function touchUpload(tx: Tx, uploadId: string, nowMs: number): Promise<void> {
  await tx.run(touch, { uploadId, nowMs })
}

export async function closeUpload(
  tx: Tx,
  uploadId: string,
  completed: { readonly nowMs: number; readonly versionId: string; readonly namedParts: string },
): Promise<void> {
  await tx.run(close, { uploadId, ...completed })
}

/** Delete its parts before. */
export async function deleteUpload(tx: Tx, uploadId: string): Promise<void> {
  await tx.run(remove, { uploadId })
}

export interface UploadPlaceInOrder {
  readonly key: string
  readonly uploadId: string
}

/** Open uploads after a place, with keys below `high`. */
export async function listOpenUploads(
  read: Reader,
  { bucketId, after, high }: { readonly bucketId: number; readonly after: UploadPlaceInOrder; readonly high: string | undefined },
  limit: number,
): Promise<readonly Upload[]> {
  const page = { bucketId, ...after, limit }
  const rows = high === undefined ? await read.all(pageOpen, page) : await read.all(pageBounded, { ...page, high })
  return rows.map(toUpload)
}

/** Call in the transaction that deletes the bucket. */
export async function deleteCompletedUploads(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(removeCompleted, { bucketId })
}

/** Longest idle first. */
export async function idleUploads(read: Reader, before: number, limit: number): Promise<readonly string[]> {
  return (await read.all(idle, { before, limit })).map(({ id }) => id)
}

export async function forgetCompletedUploads(tx: Tx, before: number): Promise<void> {
  await tx.run(forget, { before })
}
