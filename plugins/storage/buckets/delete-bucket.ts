/** @walk ending 2: aborts its open uploads, frees its name and tells the keepers, in one transaction */
import { type Clock, type Database, defineProbe, type Tx } from '#kernel'
import { bucketNotFound } from '../catalog/buckets/bucket-not-found.ts'
import { isSameBucket, nameOf } from '../catalog/buckets/bucket-ref-policy.ts'
import { lockBucketRow } from '../catalog/buckets/bucket-store.ts'
import { holdsAnything, markBucketDeleted } from '../catalog/buckets/deleted-bucket-store.ts'
import { type BlobRef, bytesOf } from '../catalog/cached/cache-entry-store.ts'
import { dropParts } from '../catalog/uploads/upload-part-store.ts'
import { deleteCompletedUploads, deleteUpload, listOpenUploads } from '../catalog/uploads/upload-store.ts'
import { type Bucket, type BucketRef, uploadLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'

const uploadsEnded = defineProbe('storage.delete.bucket-uploads')
const deleted = defineProbe('storage.delete.bucket')

/** Ended in the transaction that deletes the bucket. Of a bucket with more, some are ended before, in transactions of this size. */
const uploadsPerStep = 1000
const filesPerStep = uploadLimits.partNumberMax
const stepsMax = 1000

/** Part of the cache, which has the files of parts. */
export interface PartFiles {
  /** These bytes are no longer used. */
  release(bytes: number): void
  /** Removes files whose rows were deleted. */
  discard(files: readonly BlobRef[]): Promise<void>
}

interface DeleteBucketDeps {
  readonly database: Database
  readonly clock: Clock
  readonly partFiles: PartFiles
  /** Called inside the transaction that deleted the bucket. */
  readonly onGivenUp: (tx: Tx, bucketId: number) => Promise<void>
  /** Called after the commit. */
  readonly onDeleted: (bucket: Bucket) => void
}

/**
 * I-36: deletes a bucket without versions, and aborts its open uploads, in one transaction. Its row stays, without the name, until no plugin
 * needs it.
 */
export async function deleteBucket(deps: DeleteBucketDeps, wanted: BucketRef): Promise<void> {
  const { database, partFiles } = deps
  for (let steps = 0; steps < stepsMax; steps++) {
    const { isLast, files } = await database.write((tx) => deleteStep(tx, deps, wanted), { rows: filesPerStep })
    await (isLast ? deleted() : uploadsEnded())
    await partFiles.discard(files)
    if (isLast) return
  }
  throw storageErrors.bucket_not_empty({ message: `bucket '${nameOf(wanted)}' still has open uploads; delete it again` })
}

interface Step {
  /** The bucket is deleted. False: it has more open uploads. */
  readonly isLast: boolean
  /** Files of parts whose rows were deleted. */
  readonly files: readonly BlobRef[]
}

async function deleteStep(tx: Tx, { clock, partFiles, onGivenUp, onDeleted }: DeleteBucketDeps, wanted: BucketRef): Promise<Step> {
  const name = nameOf(wanted)
  const bucket = await lockBucketRow(tx, name)
  if (!bucket || !isSameBucket(wanted, bucket)) throw bucketNotFound(name)
  await requireEmpty(tx, bucket)
  const step = await dropUploads(tx, bucket.id)
  tx.afterCommit(() => partFiles.release(bytesOf(step.files)))
  if (!step.isLast) return step
  await markBucketDeleted(tx, bucket.id, clock.now())
  // Again: a write to the bucket that commits later finds it deleted; one that committed before is seen here.
  await requireEmpty(tx, bucket)
  await deleteCompletedUploads(tx, bucket.id)
  await onGivenUp(tx, bucket.id)
  tx.afterCommit(() => onDeleted(bucket))
  return step
}

async function requireEmpty(tx: Tx, { id, name }: Bucket): Promise<void> {
  if (!(await holdsAnything(tx, id))) return
  throw storageErrors.bucket_not_empty({ message: `bucket '${name}' has versions or delete markers; delete them first` })
}

/** A completion, or a part that is being written, finds no upload afterwards. */
async function dropUploads(tx: Tx, bucketId: number): Promise<Step> {
  const files: BlobRef[] = []
  const open = await listOpenUploads(tx, { bucketId, after: { key: '', uploadId: '' }, high: undefined }, uploadsPerStep + 1)
  for (const { id } of open.slice(0, uploadsPerStep)) {
    if (files.length >= filesPerStep) return { isLast: false, files }
    files.push(...(await dropParts(tx, id)))
    await deleteUpload(tx, id)
  }
  return { isLast: open.length <= uploadsPerStep, files }
}
