import type { Params, Reader, Tx } from '#kernel'
import type { UploadPart } from '../../contract.ts'
import { type BlobRef, type ExpectedBlob, type FileRef, unsweep } from '../cached/cache-entry-store.ts'
import { statement } from '../entities/tables.ts'
import { formatTexts, parseTexts } from '../versions/stored-version.ts'

export interface StoredPart extends UploadPart {
  readonly sha256: string
  readonly blobId: string
}

type OfUpload<P = Record<never, never>> = Params<P & { uploadId: string }>

const partColumns = [
  'part_number as partNumber',
  'size',
  'md5 as etag',
  'sha256',
  'checksums',
  'blob_id as blobId',
  'created_at as createdAtMs',
] as const

const partsAfter = statement((db, { uploadId, after, limit }: OfUpload<{ after: number; limit: number }>) =>
  db
    .selectFrom('upload_parts')
    .select(partColumns)
    .where('upload_id', '=', uploadId)
    .where('part_number', '>', after)
    .orderBy('part_number')
    .limit(limit),
)

interface PartRow extends Omit<StoredPart, 'checksums'> {
  readonly checksums: string | null
}

const addPart = statement((db, part: OfUpload<PartRow>) =>
  db.insertInto('upload_parts').values({
    upload_id: part.uploadId,
    part_number: part.partNumber,
    size: part.size,
    md5: part.etag,
    sha256: part.sha256,
    checksums: part.checksums,
    blob_id: part.blobId,
    created_at: part.createdAtMs,
  }),
)

interface NewFile extends BlobRef, Pick<PartRow, 'partNumber' | 'sha256'> {
  readonly blockChecksums: Uint8Array | null
}

const addFile = statement((db, { uploadId, partNumber, sha256, blobId, length, epoch, blockChecksums }: OfUpload<NewFile>) =>
  db.insertInto('cache_blobs').values({
    ...{ blob_id: blobId, upload_id: uploadId, ordinal: partNumber, length, epoch, sha256 },
    block_checksums: blockChecksums,
  }),
)

const removePart = statement((db, { uploadId, partNumber }: OfUpload<{ partNumber: number }>) =>
  db.deleteFrom('upload_parts').where('upload_id', '=', uploadId).where('part_number', '=', partNumber).returning('blob_id as blobId'),
)
const removeFile = statement((db, { blobId }: Params<{ blobId: string }>) =>
  db.deleteFrom('cache_blobs').where('blob_id', '=', blobId).returning(['blob_id as blobId', 'epoch', 'length']),
)
const removeParts = statement((db, { uploadId }: OfUpload) => db.deleteFrom('upload_parts').where('upload_id', '=', uploadId))
const removeFiles = statement((db, { uploadId }: OfUpload) =>
  db.deleteFrom('cache_blobs').where('upload_id', '=', uploadId).returning(['blob_id as blobId', 'epoch', 'length']),
)

const selectFiles = statement((db, { uploadId }: OfUpload) =>
  db
    .selectFrom('cache_blobs')
    .select(['blob_id as blobId', 'epoch', 'length', 'sha256', 'ordinal as partNumber'])
    .where('upload_id', '=', uploadId),
)

export async function filesOfUpload(read: Reader, uploadId: string): Promise<readonly (ExpectedBlob & { readonly partNumber: number })[]> {
  return read.all(selectFiles, { uploadId })
}

export async function pageOfParts(read: Reader, uploadId: string, after: number, limit: number): Promise<readonly StoredPart[]> {
  const rows = await read.all(partsAfter, { uploadId, after, limit })
  return rows.map(({ checksums, ...part }) => ({ ...part, checksums: parseTexts(checksums) }))
}

/** Records a part and its file. Returns the file of the part with the same number that it replaces: unlink it after the commit. */
export async function putPartRow(
  tx: Tx,
  uploadId: string,
  { checksums, ...part }: UploadPart & { readonly sha256: string },
  { blobId, length, epoch, blockChecksums }: FileRef,
): Promise<readonly BlobRef[]> {
  const former = await tx.get(removePart, { uploadId, partNumber: part.partNumber })
  const replaced = former ? await tx.all(removeFile, former) : []
  await unsweep(tx, replaced)
  await tx.run(addPart, { uploadId, ...part, checksums: formatTexts(checksums), blobId })
  const { partNumber, sha256 } = part
  await tx.run(addFile, { uploadId, partNumber, sha256, blobId, length, epoch, blockChecksums: blockChecksums ?? null })
  return replaced
}

/** Deletes the rows of all parts, and of the files that still belong to the upload. Returns these: unlink them after the commit. */
export async function dropParts(tx: Tx, uploadId: string): Promise<readonly BlobRef[]> {
  await tx.run(removeParts, { uploadId })
  const blobs = await tx.all(removeFiles, { uploadId })
  await unsweep(tx, blobs)
  return blobs
}
