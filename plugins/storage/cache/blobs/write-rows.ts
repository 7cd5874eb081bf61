import { type Database, isNotWritten, type Tx } from '#kernel'
import type { BlobRef } from '../../catalog/cached/cache-entry-store.ts'

export interface RowDeps {
  readonly database: Pick<Database, 'write'>
  readonly cache: { discard(blobs: readonly BlobRef[]): Promise<void> }
}

/** Records new files. Removes them when their rows are certainly not written. */
export async function writeRows<T>({ database, cache }: RowDeps, blobs: readonly BlobRef[], job: (tx: Tx) => Promise<T>): Promise<T> {
  let isRefused = false
  try {
    return await database.write(async (tx) => {
      // The job may run again.
      isRefused = false
      try {
        return await job(tx)
      } catch (error) {
        isRefused = true
        throw error
      }
    })
  } catch (error) {
    // After a failed commit the rows may still be durable, so the files stay. If they are not, the next start sweeps them.
    if (isRefused || isNotWritten(error)) await cache.discard(blobs)
    throw error
  }
}
