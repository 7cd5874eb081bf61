/** The bytes of small cached contents, which are in the database instead of in files. */
import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../entities/tables.ts'

/** The epoch of blobs without a file. Starts of the process have greater ones. */
export const databaseEpoch = 0

export const isInDatabase = ({ epoch }: { readonly epoch: number }): boolean => epoch === databaseEpoch

const addBytes = statement((db, { contentId, bytes }: Params<{ contentId: number; bytes: Uint8Array }>) =>
  db.insertInto('cache_bytes').values({ content_id: contentId, bytes }),
)

const removeBytes = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.deleteFrom('cache_bytes').where('content_id', '=', contentId),
)

/** Bytes by the id of the blob: bytes that replaced it are those of another one. */
const selectBytes = statement((db, { blobId }: Params<{ blobId: string }>) =>
  db
    .selectFrom('cache_blobs as b')
    .innerJoin('cache_bytes as d', 'd.content_id', 'b.content_id')
    .select('d.bytes')
    .where('b.blob_id', '=', blobId)
    .where('b.epoch', '=', databaseEpoch),
)

/** For a content that has an entry and no bytes in the database. */
export async function placeBytes(tx: Tx, contentId: number, bytes: Uint8Array): Promise<void> {
  await tx.run(addBytes, { contentId, bytes })
}

/** Call when the entry of the content stays, with other bytes. */
export async function dropBytes(tx: Tx, contentId: number): Promise<void> {
  await tx.run(removeBytes, { contentId })
}

/** Returns nothing when the blob was removed or replaced. */
export async function bytesOfBlob(read: Reader, blobId: string): Promise<Uint8Array | undefined> {
  return (await read.get(selectBytes, { blobId }))?.bytes
}
