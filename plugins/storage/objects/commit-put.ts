import { type Clock, type Database, newUlid, type Tx } from '#kernel'
import { type RowDeps, writeRows } from '../cache/blobs/write-rows.ts'
import type { Reservation } from '../cache/capacity/reservation.ts'
import type { PlacedBlob, StagedBlob } from '../catalog/cached/cache-entry-store.ts'
import { addCurrent, type PutResult, type Referred } from '../catalog/versions/version-store.ts'
import type { Bucket, NeededContent, PutObject } from '../contract.ts'

export interface CommitDeps extends RowDeps {
  readonly database: Database
  readonly clock: Clock
  /** Called in the committing transaction after every put. */
  readonly onNewContent?: ((tx: Tx, content: NeededContent) => Promise<void>) | undefined
}

/** A put whose body has arrived and was accepted. */
type Checked = Omit<PutObject, 'bucket'> & { readonly bucket: Bucket; readonly checksums: Readonly<Record<string, string>> }

/** A blob that has no row yet, and its room in the cache. */
export interface Written {
  readonly blob: StagedBlob
  readonly reservation: Reservation
}

interface NewVersion {
  readonly size: number
  readonly etag: string
  readonly multipartParts?: string | null
  readonly nowMs: number
  /** Adds the reference of the version to its content. */
  readonly attach: (tx: Tx) => Promise<Referred>
}

/** Inserts the version. Removes the file when it certainly has no row. */
export function commitVersion(
  deps: CommitDeps,
  put: Checked,
  written: Written | undefined,
  { nowMs, attach, ...version }: NewVersion,
): Promise<PutResult> {
  const { bucket, key, condition, record, headers, checksums } = put
  const row = { ...version, bucket, key, condition, record, nowMs, versionId: newUlid(nowMs), headers: { ...headers, checksums } }
  return commitBytes(deps, written, async (tx) => {
    put.signal?.throwIfAborted()
    const result = await addCurrent(tx, row, () => attach(tx))
    for (const content of result.needsCopies) await deps.onNewContent?.(tx, content)
    return result
  })
}

/** Runs the transaction that makes a file the cached bytes of a content, and counts them. */
export function commitBytes<R extends PlacedBlob>(deps: RowDeps, written: Written | undefined, record: (tx: Tx) => Promise<R>): Promise<R> {
  return writeRows(deps, written ? [written.blob] : [], async (tx) => {
    const result = await record(tx)
    // I-23: counted also when the answer to the commit comes late.
    if (written) tx.afterCommit(() => written.reservation.keep(result.addedBytes))
    return result
  })
}
