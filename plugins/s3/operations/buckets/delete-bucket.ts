/** @walk ending 1: deletes an empty bucket */
import { S3Error } from '../../wire/s3-error.ts'
import type { Operation } from '../operation.ts'

/** Deletes a bucket without versions, and aborts its open uploads. The services that hold its copies end in the background. */
export const deleteBucket: Operation = {
  scope: 'bucket',
  async run({ bucket }, { buckets, settings }) {
    if (!settings.bucket_deletion)
      throw new S3Error('NotImplemented', { message: 'Buckets cannot be deleted here: the operator disabled it (s3.bucket_deletion).' })
    await buckets.delete(bucket)
    return { status: 204, headers: {} }
  },
}
