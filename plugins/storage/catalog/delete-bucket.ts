import { type Clock, type Database, defineProbe, type Tx } from '#kernel'
import type { Bucket, BucketRef } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { bucketNotFound } from './bucket-not-found.ts'
import { isMeant, nameOf } from './bucket-ref-policy.ts'
import { lockBucketRow } from './bucket-store.ts'
import { holdsAnything, markBucketDeleted } from './deleted-bucket-store.ts'
import { deleteCompletedUploads } from './upload-store.ts'

const deleted = defineProbe('storage.delete.bucket')

interface DeleteBucketDeps {
  readonly database: Database
  readonly clock: Clock
  /** Called inside the transaction that deleted the bucket. */
  readonly onGivenUp: (tx: Tx, bucketId: number) => Promise<void>
  /** Called after the commit. */
  readonly onDeleted: (bucket: Bucket) => void
}

/** I-36: deletes an empty bucket in one transaction. Its row stays, without the name, until no plugin needs it. */
export async function deleteBucket({ database, clock, onGivenUp, onDeleted }: DeleteBucketDeps, wanted: BucketRef): Promise<void> {
  const name = nameOf(wanted)
  await database.write(async (tx) => {
    const bucket = await lockBucketRow(tx, name)
    if (!bucket || !isMeant(wanted, bucket)) throw bucketNotFound(name)
    // First: a write to the bucket that commits later finds it deleted; one that committed before is seen by the check.
    await markBucketDeleted(tx, bucket.id, clock.now())
    if (await holdsAnything(tx, bucket.id)) {
      throw storageErrors.bucket_not_empty({
        message: `bucket '${name}' has versions, delete markers or unfinished uploads; delete them first`,
      })
    }
    await deleteCompletedUploads(tx, bucket.id)
    await onGivenUp(tx, bucket.id)
    tx.afterCommit(() => onDeleted(bucket))
  })
  await deleted()
}
