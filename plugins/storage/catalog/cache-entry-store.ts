import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { markLostIfUnreadable } from './content-state-store.ts'
import { updateReleasable } from './releasable-store.ts'
import { statement } from './tables.ts'

/** One file of the cache, from its row. */
export interface BlobRef {
  readonly blobId: string
  /** Id of the process start that wrote it, in milliseconds: the first folder of its path. */
  readonly epoch: number
  readonly length: number
}

/** A blob and the SHA-256 of its content; null where none was recorded. */
export interface ExpectedBlob extends BlobRef {
  readonly sha256: string | null
}

interface PlaceBlob {
  readonly contentId: number
  readonly blob: BlobRef
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

type AtContent<P = Record<never, never>> = Params<P & { contentId: number }>

const selectBlobs = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_blobs').select(['blob_id as blobId', 'epoch', 'length']).where('content_id', '=', contentId).orderBy('ordinal'),
)

const lockEntry = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_entries').select('content_id').where('content_id', '=', contentId).forUpdate(),
)

const addEntry = statement((db, { contentId, bytes, nowMs }: AtContent<{ bytes: number; nowMs: number }>) =>
  db.insertInto('cache_entries').values({ content_id: contentId, bytes, accessed_at: nowMs, cached_at: nowMs }),
)

const addBlob = statement((db, { contentId, blobId, length, epoch }: AtContent<BlobRef>) =>
  db.insertInto('cache_blobs').values({ blob_id: blobId, content_id: contentId, ordinal: 0, length, epoch }),
)

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

/** By hand, because each engine has its own form for lists whose members belong together. */
const setAccessTimes = sqlStatement<{ contentIds: readonly number[]; timesMs: readonly number[] }>({
  sqlite: `update cache_entries set accessed_at = read_at
    from (select c.value as read_id, json_extract(:timesMs, '$[' || c.key || ']') as read_at from json_each(:contentIds) c)
    where content_id = read_id and accessed_at < read_at`,
  postgres: `update cache_entries set accessed_at = read_at
    from unnest(cast(:contentIds as bigint[]), cast(:timesMs as bigint[])) as reads (read_id, read_at)
    where content_id = read_id and accessed_at < read_at`,
})

const sumBytes = statement((db) => db.selectFrom('cache_entries').select(({ fn }) => fn.sum<number | null>('bytes').as('bytes')))

const selectKnown = statement((db, { blobIds }: Params<{ blobIds: readonly string[] }>) =>
  db.selectFrom('cache_blobs').select('blob_id as id').where('blob_id', 'in', blobIds),
)

export async function blobsOfContent(read: Reader, contentId: number): Promise<BlobRef[]> {
  return read.all(selectBlobs, { contentId })
}

/**
 * Makes the blob the cached file of the content, replacing an older one (I-30): the new bytes were hashed while they were written; the
 * older file may be damaged, and checking it costs more than removing it.
 */
export async function placeBlob(tx: Tx, { contentId, blob, nowMs, isNewContent }: PlaceBlob): Promise<PlacedBlob> {
  const { blobId, length, epoch } = blob
  const isCached = !isNewContent && (await tx.get(lockEntry, { contentId })) !== undefined
  if (!isCached) {
    await tx.run(addEntry, { contentId, bytes: length, nowMs })
    await tx.run(addBlob, { contentId, blobId, length, epoch })
    // An evicted content may have enough copies.
    if (!isNewContent) await updateReleasable(tx, contentId)
    return { addedBytes: length, redundant: [] }
  }
  const former = await forgetBlobs(tx, contentId)
  await tx.run(addBlob, { contentId, blobId, length, epoch })
  await tx.run(setPresent, { contentId, nowMs })
  return { addedBytes: 0, redundant: former }
}

/** The epochs become unswept, so that the next start removes the files after a crash before their unlink. */
async function forgetBlobs(tx: Tx, contentId: number): Promise<readonly BlobRef[]> {
  const blobs = await tx.all(removeBlobsOf, { contentId })
  await tx.run(setUnswept, { epochs: blobs.map(({ epoch }) => epoch) })
  return blobs
}

/**
 * Deletes the rows of a content's cached file that is missing or damaged. Returns the bytes by which the cache shrank; 0
 * when another blob has replaced it.
 */
export async function dropDamaged(tx: Tx, contentId: number, blobId: string): Promise<number> {
  const blobs = await blobsOfContent(tx, contentId)
  if (!blobs.some((blob) => blob.blobId === blobId)) return 0
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

export async function sumCachedBytes(read: Reader): Promise<number> {
  return (await read.get(sumBytes))?.bytes ?? 0
}

/** Each content once. A row with a later time keeps it. */
export async function writeAccessTimes(tx: Tx, reads: readonly { readonly contentId: number; readonly readMs: number }[]): Promise<void> {
  await tx.run(setAccessTimes, { contentIds: reads.map(({ contentId }) => contentId), timesMs: reads.map(({ readMs }) => readMs) })
}

/** The blob ids that have a row. */
export async function knownBlobs(read: Reader, blobIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await read.all(selectKnown, { blobIds })).map(({ id }) => id))
}
