import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../entities/tables.ts'
import type { BlobRef } from './cache-entry-store.ts'

/** A file that was removed from the cache. It may be intact: what failed may have been memory, a cable or a controller. */
export interface QuarantinedFile extends BlobRef {
  readonly contentId: number
  /** SHA-256 of the bytes that it should have. */
  readonly sha256: string | null
  readonly blockChecksums: Uint8Array | null
  readonly removedAtMs: number
}

const columns = [
  'blob_id as blobId',
  'content_id as contentId',
  'epoch',
  'length',
  'sha256',
  'block_checksums as blockChecksums',
  'removed_at as removedAtMs',
] as const

const add = statement((db, file: Params<QuarantinedFile>) =>
  db.insertInto('cache_quarantine').values({
    blob_id: file.blobId,
    content_id: file.contentId,
    epoch: file.epoch,
    length: file.length,
    sha256: file.sha256,
    block_checksums: file.blockChecksums,
    removed_at: file.removedAtMs,
  }),
)

const selectOne = statement((db, { blobId }: Params<{ blobId: string }>) =>
  db.selectFrom('cache_quarantine').select(columns).where('blob_id', '=', blobId),
)

const selectAfter = statement((db, { after, limit }: Params<{ after: string; limit: number }>) =>
  db.selectFrom('cache_quarantine').select(columns).where('blob_id', '>', after).orderBy('blob_id').limit(limit),
)

interface Due {
  readonly beforeMs: number
  readonly bytesMax: number
  readonly filesMax: number
}

/** Compares the sum and the number of the files up to each, from the newest on, with the limits. */
const selectDue = sqlStatement<Due, { blobId: string }>(
  `select q.blob_id as "blobId" from (select blob_id, content_id, removed_at,
      sum(length) over (order by removed_at desc, blob_id desc) as bytes,
      row_number() over (order by removed_at desc, blob_id desc) as files from cache_quarantine) q
    where q.removed_at < :beforeMs or q.bytes > :bytesMax or q.files > :filesMax
      or not exists (select 1 from contents c where c.id = q.content_id and c.state = 'live')`,
)

const remove = statement((db, { blobIds }: Params<{ blobIds: readonly string[] }>) =>
  db.deleteFrom('cache_quarantine').where('blob_id', 'in', blobIds).returning(['blob_id as blobId', 'epoch', 'length']),
)

export async function addToQuarantine(
  tx: Tx,
  { nowMs, ...file }: Omit<QuarantinedFile, 'removedAtMs'> & { readonly nowMs: number },
): Promise<void> {
  await tx.run(add, { ...file, removedAtMs: nowMs })
}

export const findQuarantined = (read: Reader, blobId: string): Promise<QuarantinedFile | undefined> => read.get(selectOne, { blobId })

export const quarantinedAfter = (read: Reader, after: string, limit: number): Promise<readonly QuarantinedFile[]> =>
  read.all(selectAfter, { after, limit })

/** Files that are older than `beforeMs`, above the limits together, or of deleted contents. */
export async function quarantineDue(read: Reader, due: Due): Promise<readonly string[]> {
  return (await read.all(selectDue, due)).map(({ blobId }) => blobId)
}

/** Returns those that had a row: unlink them after the commit. */
export const removeFromQuarantine = (tx: Tx, blobIds: readonly string[]): Promise<readonly BlobRef[]> => tx.all(remove, { blobIds })
