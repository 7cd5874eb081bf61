import { isNotWritten, newUlid, type Tx } from '#kernel'
import type { WrittenBlob } from '../cache/blob-writer.ts'
import type { Reservation } from '../cache/reservation.ts'
import { type AttachedBytes, type PutResult, putVersion } from '../catalog/version-store.ts'
import type { Bucket, PutObject } from '../contract.ts'
import type { ObjectDeps } from './objects.ts'

/** A put whose body has arrived and was accepted. */
type Checked = Omit<PutObject, 'bucket'> & { readonly bucket: Bucket; readonly checksums: Readonly<Record<string, string>> }

/** A file that has no row yet, and its room in the cache. */
export interface Written {
  readonly blob: WrittenBlob
  readonly reservation: Reservation
}

interface NewVersion {
  readonly size: number
  readonly etag: string
  readonly nowMs: number
  readonly attach: (tx: Tx) => Promise<AttachedBytes>
}

/** Inserts the version. Removes the file when it certainly has no row. */
export function commitVersion(
  deps: ObjectDeps,
  put: Checked,
  written: Written | undefined,
  { nowMs, ...version }: NewVersion,
): Promise<PutResult> {
  const { bucket, key, condition, headers, checksums } = put
  const row = { ...version, bucket, key, condition, nowMs, versionId: newUlid(nowMs), headers: { ...headers, checksums } }
  return commitBytes(deps, written, async (tx) => {
    put.signal?.throwIfAborted()
    const result = await putVersion(tx, row)
    if (result.needsCopies) await deps.onNewContent?.(tx, result.content)
    return result
  })
}

/** Runs the transaction that makes a file the cached bytes of a content, and counts them. */
export async function commitBytes<R extends AttachedBytes>(
  { database, cache }: Pick<ObjectDeps, 'database' | 'cache'>,
  written: Written | undefined,
  record: (tx: Tx) => Promise<R>,
): Promise<R> {
  let isRefused = false
  const job = async (tx: Tx): Promise<R> => {
    // The job may run again.
    isRefused = false
    try {
      const result = await record(tx)
      // I-23: counted also when the answer to the commit comes late.
      if (written) tx.afterCommit(() => written.reservation.keep(result.addedBytes))
      return result
    } catch (error) {
      isRefused = true
      throw error
    }
  }
  try {
    return await database.write(job)
  } catch (error) {
    // After a failed commit the rows may still be durable, so the file stays. If they are not, the next start sweeps it.
    if (written && (isRefused || isNotWritten(error))) await cache.discard([written.blob])
    throw error
  }
}
