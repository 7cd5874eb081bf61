/** Rules over the parts of open uploads and their files. */
import { sqlStatement, type Tx } from '#kernel'
import type { RowRule } from '#kernel/system'
import { databaseEpoch } from '../catalog/cached/cache-bytes-store.ts'
import { type BlobRef, unsweep } from '../catalog/cached/cache-entry-store.ts'
import { fixNames } from './fix-names.ts'
import { find } from './object-rules-store.ts'

/** A file `f` that no part of an open upload has. */
const isUnused = `f.upload_id is not null and not exists (select 1 from upload_parts p join uploads o on o.upload_id = p.upload_id
  where o.state = 'open' and p.upload_id = f.upload_id and p.blob_id = f.blob_id)`

export const uploadRules: readonly RowRule[] = [
  {
    invariant: 'I-01',
    kind: 'part',
    violation: 'the part has no file with its number, length and SHA-256, or its upload is completed',
    repair: 'Send the part of the upload again, or abort the upload',
    find: find(`select p.upload_id || '/' || p.part_number as id, b.name as bucket, u.key
      from upload_parts p left join uploads u on u.upload_id = p.upload_id left join buckets b on b.id = u.bucket_id
      left join cache_blobs f on f.blob_id = p.blob_id and f.upload_id = p.upload_id
      where f.blob_id is null or f.content_id is not null or f.ordinal <> p.part_number or f.length <> p.size
        or f.sha256 is distinct from p.sha256 or u.state is distinct from 'open' or f.epoch = ${databaseEpoch}`),
  },
  {
    invariant: 'I-23',
    severity: 'warning',
    kind: 'cache file',
    violation: 'the file belongs to an upload without such a part, and takes space',
    repair: 'Run svc doctor --fix, which removes it',
    fix: fixNames.dropPartFile,
    find: find(`select f.blob_id as id, b.name as bucket, u.key from cache_blobs f left join uploads u on u.upload_id = f.upload_id
      left join buckets b on b.id = u.bucket_id where ${isUnused}`),
  },
]

const drop = sqlStatement<{ blobId: string }, BlobRef>(
  `delete from cache_blobs where blob_id in (select f.blob_id from cache_blobs f where f.blob_id = :blobId and f.content_id is null and ${isUnused})
   returning blob_id as "blobId", epoch, length`,
)

/** Returns the file whose row was deleted, if no part has it: unlink it after the commit. */
export async function dropUnusedFile(tx: Tx, blobId: string): Promise<readonly BlobRef[]> {
  const dropped = await tx.all(drop, { blobId })
  await unsweep(tx, dropped)
  return dropped
}
