/** @walk parts 7: removes aborted and idle uploads */
import { defineProbe, type Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { type BlobRef, bytesOf } from '../catalog/cached/cache-entry-store.ts'
import { dropParts } from '../catalog/uploads/upload-part-store.ts'
import { deleteUpload, forgetCompletedUploads, idleUploads, lockIdleUpload, lockOpenUpload } from '../catalog/uploads/upload-store.ts'
import type { Buckets, Uploads } from '../contract.ts'
import { dropAbandonedParts, type HeldPartDeps, objectPartsMax } from '../objects/held-parts.ts'
import { uploadNotFound } from './put-part.ts'

const aborted = defineProbe('storage.upload.aborted')
const expired = defineProbe('storage.upload.expired')

/** Repeated completions get their answer for this long. */
const completedKeptMs = 86_400_000
const uploadsPerPage = 100

export type EndDeps = HeldPartDeps & {
  readonly buckets: Pick<Buckets, 'require'>
  readonly cache: Pick<Cache, 'release' | 'discard'>
}

/** Deletes the rows, then the files (I-03). */
export async function abortUpload(
  deps: EndDeps,
  { bucket, key, uploadId, condition, guard }: Parameters<Uploads['abort']>[0],
): Promise<void> {
  const of = { bucketId: deps.buckets.require(bucket).id, key, uploadId }
  const blobs = await end(deps, uploadId, async (tx) => {
    await guard?.(tx)
    const upload = await lockOpenUpload(tx, of)
    if (!upload) throw uploadNotFound(uploadId)
    condition?.(upload)
    return true
  })
  await aborted()
  await deps.cache.discard(blobs ?? [])
}

/** Aborts idle uploads one by one, forgets old completed ones, and drops the parts of failed puts. Returns the number aborted. */
export async function expireUploads(deps: EndDeps, idleSinceMs: number, signal: AbortSignal): Promise<number> {
  const { database, cache, clock } = deps
  let count = 0
  for (let ids = await idleUploads(database.read, idleSinceMs, uploadsPerPage); ids.length > 0; ) {
    for (const uploadId of ids) {
      signal.throwIfAborted()
      const blobs = await end(deps, uploadId, (tx) => lockIdleUpload(tx, uploadId, idleSinceMs))
      // A part was stored since.
      if (!blobs) continue
      count += 1
      await expired()
      await cache.discard(blobs)
    }
    ids = await idleUploads(database.read, idleSinceMs, uploadsPerPage)
  }
  await database.write((tx) => forgetCompletedUploads(tx, clock.now() - completedKeptMs))
  await dropAbandonedParts(deps, signal)
  return count
}

/** Deletes the rows of an upload if `mayEnd`. Returns its files; undefined when it stays. */
async function end(
  { database, cache }: EndDeps,
  uploadId: string,
  mayEnd: (tx: Tx) => Promise<boolean>,
): Promise<readonly BlobRef[] | undefined> {
  return await database.write(
    async (tx) => {
      if (!(await mayEnd(tx))) return undefined
      const blobs = await dropParts(tx, uploadId)
      await deleteUpload(tx, uploadId)
      tx.afterCommit(() => cache.release(bytesOf(blobs)))
      return blobs
    },
    { rows: objectPartsMax },
  )
}
