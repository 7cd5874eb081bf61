/** @walk parts 5: makes the files those of the content; no byte is copied */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { markLostIfUnreadable } from '../contents/content-state-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'
import { dropBytes, placeBytes } from './cache-bytes-store.ts'
import { updateReleasable } from './releasable-store.ts'

/** One file of the cache, or the bytes of a small content in the database, from its row. */
export interface BlobRef {
  readonly blobId: string
  /** Id of the process start that wrote the file, in milliseconds: the first folder of its path. `databaseEpoch`: there is no file. */
  readonly epoch: number
  readonly length: number
}

export const bytesOf = (blobs: readonly BlobRef[]): number => blobs.reduce((sum, { length }) => sum + length, 0)

/** A durable file without a row, or bytes that are written with their row. */
export interface StagedBlob extends BlobRef, FileChecksums {
  /** Only of a blob without a file. */
  readonly bytes?: Uint8Array
}

interface FileChecksums {
  /** See BlockChecksums; only of a file of several blocks. */
  readonly blockChecksums?: Uint8Array | undefined
}

/** A file of the cache: no blob whose bytes must be written with its row. */
export type FileRef = BlobRef & FileChecksums & { readonly bytes?: never }

/** A blob and the SHA-256 of its bytes; null where none was recorded. */
export interface ExpectedBlob extends BlobRef {
  readonly sha256: string | null
}

/** A blob to record. `ownSha256`: of a file that is not all of its content, or whose content has no SHA-256. */
interface PlacedFile extends StagedBlob {
  readonly ownSha256?: string | null
}

interface NewEntry {
  readonly contentId: number
  readonly nowMs: number
  /** The content was inserted in this transaction, so it has no entry yet. */
  readonly isNewContent: boolean
}

export interface PlacedBlob {
  /** Bytes by which the cache grew. */
  readonly addedBytes: number
  /** Replaced files: unlink them after the commit. */
  readonly redundant: readonly BlobRef[]
}

const selectExpected = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('cache_entries as e')
    .innerJoin('cache_blobs as b', 'b.content_id', 'e.content_id')
    .innerJoin('contents as c', 'c.id', 'e.content_id')
    .select(['b.blob_id as blobId', 'b.epoch', 'b.length', 'c.size'])
    .select(({ fn }) => fn.coalesce('b.sha256', 'c.sha256').as('sha256'))
    .where('e.content_id', '=', contentId)
    .where('e.state', '=', 'present')
    .orderBy('b.ordinal'),
)

const selectBlobs = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_blobs').select(['blob_id as blobId', 'epoch', 'length']).where('content_id', '=', contentId).orderBy('ordinal'),
)

const lockEntry = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_entries').select('state').where('content_id', '=', contentId).forUpdate(),
)

const addEntry = statement((db, { contentId, bytes, nowMs }: AtContent<{ bytes: number; nowMs: number }>) =>
  db.insertInto('cache_entries').values({ content_id: contentId, bytes, accessed_at: nowMs, cached_at: nowMs }),
)

const addBlob = statement((db, { contentId, blobId, ordinal, length, epoch, ownSha256, blockChecksums }: AtContent<NewBlob>) =>
  db.insertInto('cache_blobs').values({
    ...{ blob_id: blobId, content_id: contentId, ordinal, length, epoch, sha256: ownSha256 },
    block_checksums: blockChecksums,
  }),
)

interface NewBlob extends BlobRef {
  readonly ordinal: number
  readonly ownSha256: string | null
  readonly blockChecksums: Uint8Array | null
}

/** Statement by hand, because each engine has its own form for the positions of a list. */
const adopt = sqlStatement<{ contentId: number; uploadId: string; blobIds: readonly string[] }>({
  sqlite: `update cache_blobs set content_id = :contentId, upload_id = null, ordinal = position
    from (select value as chosen, key as position from json_each(:blobIds)) where blob_id = chosen and upload_id = :uploadId`,
  postgres: `update cache_blobs set content_id = :contentId, upload_id = null, ordinal = position - 1
    from unnest(cast(:blobIds as text[])) with ordinality as parts (chosen, position) where blob_id = chosen and upload_id = :uploadId`,
})

const setPresent = statement((db, { contentId, nowMs }: AtContent<{ nowMs: number }>) =>
  db.updateTable('cache_entries').set({ state: 'present', accessed_at: nowMs }).where('content_id', '=', contentId),
)

const removeBlobsOf = statement((db, { contentId }: AtContent) =>
  db.deleteFrom('cache_blobs').where('content_id', '=', contentId).returning(['blob_id as blobId', 'epoch', 'length']),
)

const setUnswept = statement((db, { epochs }: Params<{ epochs: readonly number[] }>) =>
  db.updateTable('cache_epochs').set({ swept_at: null }).where('epoch', 'in', epochs).where('swept_at', 'is not', null),
)

const removeEntry = statement((db, { contentId }: AtContent) =>
  db.deleteFrom('cache_entries').where('content_id', '=', contentId).returning('bytes'),
)

/** Statement by hand, because each engine has its own form for lists whose members belong together. */
const setAccessTimes = sqlStatement<{ contentIds: readonly number[]; timesMs: readonly number[] }>({
  sqlite: `update cache_entries set accessed_at = read_at
    from (select c.value as read_id, json_extract(:timesMs, '$[' || c.key || ']') as read_at from json_each(:contentIds) c)
    where content_id = read_id and accessed_at < read_at`,
  postgres: `update cache_entries set accessed_at = read_at
    from unnest(cast(:contentIds as bigint[]), cast(:timesMs as bigint[])) as reads (read_id, read_at)
    where content_id = read_id and accessed_at < read_at`,
})

const sumBytes = sqlStatement<Record<never, never>, { bytes: number }>(
  `select cast(coalesce((select sum(bytes) from cache_entries), 0)
    + coalesce((select sum(length) from cache_blobs where upload_id is not null), 0)
    + coalesce((select sum(length) from cache_quarantine), 0) as bigint) as bytes`,
)

const selectKnown = statement((db, { blobIds }: Params<{ blobIds: readonly string[] }>) =>
  db
    .selectFrom('cache_blobs')
    .select('blob_id as id')
    .where('blob_id', 'in', blobIds)
    .unionAll(db.selectFrom('cache_quarantine').select('blob_id as id').where('blob_id', 'in', blobIds)),
)

export async function blobsOfContent(read: Reader, contentId: number): Promise<BlobRef[]> {
  return read.all(selectBlobs, { contentId })
}

/** The files of a cached content in the order of its bytes; none when it is not cached. */
export async function expectedBlobs(read: Reader, contentId: number): Promise<readonly ExpectedBlob[]> {
  const rows = await read.all(selectExpected, { contentId })
  const sum = rows.reduce((bytes, { length }) => bytes + length, 0)
  return rows.some(({ size }) => size !== sum) ? [] : rows.map(({ size: _, ...blob }) => blob)
}

/**
 * Makes the blob the cached file of the content, replacing older ones (I-30): the new bytes were hashed while they were written; the
 * older files may be damaged, and checking them costs more than removing them.
 */
export function placeBlob(tx: Tx, { blob, ...entry }: NewEntry & { readonly blob: PlacedFile }): Promise<PlacedBlob> {
  return placeBlobs(tx, { ...entry, blobs: [blob] })
}

/** Does what placeBlob does, with the files of a content in the order of its bytes. */
export async function placeBlobs(tx: Tx, { blobs, ...entry }: NewEntry & { readonly blobs: readonly PlacedFile[] }): Promise<PlacedBlob> {
  const { contentId } = entry
  const bytes = blobs.reduce((sum, { length }) => sum + length, 0)
  const placed = await openEntry(tx, entry, bytes)
  for (const [ordinal, blob] of blobs.entries()) {
    const { blobId, length, epoch, ownSha256 = null, blockChecksums = null } = blob
    await tx.run(addBlob, { contentId, blobId, ordinal, length, epoch, ownSha256, blockChecksums })
    if (blob.bytes) await placeBytes(tx, contentId, blob.bytes)
  }
  return placed
}

/**
 * Makes files of parts of an upload, which are counted as used bytes, the cached files of the content, in the order of `blobIds`. Undefined
 * when the upload has not all of them: then the transaction must end. Files that replace cached ones are verified before.
 */
export async function adoptParts(
  tx: Tx,
  {
    uploadId,
    blobIds,
    bytes,
    ...entry
  }: NewEntry & { readonly uploadId: string; readonly blobIds: readonly string[]; readonly bytes: number },
): Promise<PlacedBlob | undefined> {
  const placed = await openEntry(tx, entry, bytes)
  const { changes } = await tx.run(adopt, { contentId: entry.contentId, uploadId, blobIds })
  return changes === blobIds.length ? placed : undefined
}

/** The entry of the content for files of `bytes` bytes. Removes the rows of older files. */
async function openEntry(tx: Tx, { contentId, nowMs, isNewContent }: NewEntry, bytes: number): Promise<PlacedBlob> {
  const entry = isNewContent ? undefined : await tx.get(lockEntry, { contentId })
  if (!entry) {
    await tx.run(addEntry, { contentId, bytes, nowMs })
    // An evicted content may have enough copies.
    if (!isNewContent) await updateReleasable(tx, contentId)
    return { addedBytes: bytes, redundant: [] }
  }
  const redundant = await forgetBlobs(tx, contentId)
  await tx.run(setPresent, { contentId, nowMs })
  if (entry.state === 'damaged') await updateReleasable(tx, contentId)
  return { addedBytes: 0, redundant }
}

async function forgetBlobs(tx: Tx, contentId: number): Promise<readonly BlobRef[]> {
  const blobs = await tx.all(removeBlobsOf, { contentId })
  await dropBytes(tx, contentId)
  await unsweep(tx, blobs)
  return blobs
}

/** The rows of the blobs were deleted: the next start removes the files after a crash before their unlink. */
export async function unsweep(tx: Tx, blobs: readonly BlobRef[]): Promise<void> {
  await tx.run(setUnswept, { epochs: [...new Set(blobs.map(({ epoch }) => epoch))] })
}

/** Deletes the rows of an entry. Returns the bytes by which the cache shrank. Unlink the files after the commit. */
export async function removeEntryAndBlobs(tx: Tx, contentId: number): Promise<number> {
  await forgetBlobs(tx, contentId)
  return deleteEntry(tx, contentId)
}

/** Returns the bytes by which the cache shrank. Marks a content with versions and without readable copies as `lost` (I-20). */
export async function deleteEntry(tx: Tx, contentId: number): Promise<number> {
  const entry = await tx.get(removeEntry, { contentId })
  if (!entry) return 0
  await markLostIfUnreadable(tx, contentId)
  return entry.bytes
}

/** Bytes of contents, of parts of open uploads and of the quarantine. */
export async function sumCachedBytes(read: Reader): Promise<number> {
  return (await read.get(sumBytes))?.bytes ?? 0
}

/** Each content once. A row with a later time keeps it. */
export async function writeAccessTimes(tx: Tx, reads: readonly { readonly contentId: number; readonly readMs: number }[]): Promise<void> {
  await tx.run(setAccessTimes, { contentIds: reads.map(({ contentId }) => contentId), timesMs: reads.map(({ readMs }) => readMs) })
}

/** The blob ids that have a row: their files are not orphans. */
export async function knownBlobs(read: Reader, blobIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await read.all(selectKnown, { blobIds })).map(({ id }) => id))
}

const selectChecksums = sqlStatement<{ blobId: string; from: number; bytes: number }, { checksums: Uint8Array | null }>(
  `select substr(block_checksums, cast(:from + 1 as integer), cast(:bytes as integer)) as checksums from cache_blobs where blob_id = :blobId`,
)

const selectAllChecksums = statement((db, { blobId }: Params<{ blobId: string }>) =>
  db.selectFrom('cache_blobs').select('block_checksums as checksums').where('blob_id', '=', blobId),
)

/** Returns nothing when the blob was removed, or has none. */
export async function allBlockChecksums(read: Reader, blobId: string): Promise<Uint8Array | undefined> {
  return (await read.get(selectAllChecksums, { blobId }))?.checksums ?? undefined
}

/** A range of the bytes of BlockChecksums. Undefined when the blob was removed, or has none. */
export async function blockChecksumsOf(
  read: Reader,
  blobId: string,
  place: { readonly from: number; readonly bytes: number },
): Promise<Uint8Array | undefined> {
  return (await read.get(selectChecksums, { blobId, ...place }))?.checksums ?? undefined
}

const setChecksums = statement((db, { blobId, checksums }: Params<{ blobId: string; checksums: Uint8Array }>) =>
  db.updateTable('cache_blobs').set({ block_checksums: checksums }).where('blob_id', '=', blobId),
)

export async function setBlockChecksums(tx: Tx, blobId: string, checksums: Uint8Array): Promise<void> {
  await tx.run(setChecksums, { blobId, checksums })
}
