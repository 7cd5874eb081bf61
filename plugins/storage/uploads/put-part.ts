/** @walk parts 1: writes each part into a file of its own, which counts as used bytes */
import { type Clock, type Database, defineProbe } from '#kernel'
import { writeRows } from '../cache/blobs/write-rows.ts'
import type { Cache } from '../cache/cache.ts'
import type { Reservation } from '../cache/capacity/reservation.ts'
import { bytesOf, type FileRef } from '../catalog/cached/cache-entry-store.ts'
import { putPartRow } from '../catalog/uploads/upload-part-store.ts'
import { findUpload, lockOpenUpload, touchUpload, type UploadKey } from '../catalog/uploads/upload-store.ts'
import { type Buckets, type PutPart, type SizeLimits, type Upload, type UploadPart, type UploadPlace, uploadLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { refuse, refuseBytes, refuseEnd } from '../objects/put-checks.ts'
import { type BodyLimits, type PartLimits, sizeProblem } from '../objects/size-policy.ts'

const committing = defineProbe('storage.upload.part-committing')
const committed = defineProbe('storage.upload.part-committed')
const probes = {
  created: defineProbe('storage.upload.part-created'),
  written: defineProbe('storage.upload.part-written'),
  synced: defineProbe('storage.upload.part-synced'),
  folderSynced: defineProbe('storage.upload.part-folder-synced'),
}

interface PartSizeDeps {
  readonly sizes: () => SizeLimits
  readonly parts: Pick<PartLimits, 'bytesMax'>
}

interface UploadRefDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'require'>
}

interface RecordDeps {
  readonly database: Database
  readonly clock: Clock
  readonly cache: Pick<Cache, 'release' | 'discard'>
}

export type PutPartDeps = PartSizeDeps & UploadRefDeps & RecordDeps & { readonly cache: Pick<Cache, 'reserveArriving' | 'write'> }

/** Writes a part to a file of its own, durably like a put, and records it. */
export async function putPart(deps: PutPartDeps, request: PutPart): Promise<UploadPart> {
  const of = await requireOpen(deps, request)
  const sizes = partSizes(deps)
  if (request.size !== undefined) refuse(sizeProblem(request.size, sizes))
  using reservation = await deps.cache.reserveArriving(request)
  let checksums: UploadPart['checksums'] = {}
  const blob = await deps.cache.write({
    body: request.body,
    size: request.size,
    checksum: request.checksum,
    onBytes(total) {
      refuseBytes(total, request.size, sizes)
      return reservation.cover(total)
    },
    onEnd(digests) {
      refuseEnd(digests.size, request.size, sizes)
      checksums = request.verify?.(digests) ?? checksums
    },
    signal: request.signal,
    probes,
  })
  const { size, md5, sha256 } = blob
  return await recordPart(
    deps,
    of,
    { partNumber: request.partNumber, size, etag: md5, sha256, checksums, blob, reservation },
    request.signal,
  )
}

/** A part is one file, which is at most one piece. */
export function partSizes({ sizes, parts }: PartSizeDeps): BodyLimits {
  const { bytesMax: objectBytesMax } = sizes()
  return { bytesMin: 0, bytesMax: Math.min(objectBytesMax, parts.bytesMax), objectBytesMax }
}

/** Before the body is read. Throws `upload_not_found` or `invalid_part_number`. */
export async function requireOpen(
  { database, buckets }: UploadRefDeps,
  { bucket, key, uploadId, partNumber }: UploadPlace & { readonly partNumber: number },
): Promise<UploadKey> {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > uploadLimits.partNumberMax) {
    throw storageErrors.invalid_part_number({ message: `part numbers are 1 to ${uploadLimits.partNumberMax}, not ${partNumber}` })
  }
  const of = { bucketId: buckets.require(bucket).id, key, uploadId }
  const upload = await findUpload(database.read, of)
  if (!upload || upload.completed) throw uploadNotFound(uploadId)
  return of
}

interface NewPart extends Omit<UploadPart, 'createdAtMs'> {
  readonly sha256: string
  readonly blob: FileRef
  readonly reservation: Reservation
}

export async function recordPart(
  deps: RecordDeps,
  of: UploadKey,
  { blob, reservation, ...digests }: NewPart,
  signal: AbortSignal | undefined,
): Promise<UploadPart> {
  const nowMs = deps.clock.now()
  const part = { ...digests, createdAtMs: nowMs }
  await committing()
  const replaced = await writeRows(deps, [blob], async (tx) => {
    signal?.throwIfAborted()
    const upload: Upload | undefined = await lockOpenUpload(tx, of)
    // Completed or aborted while the body was read.
    if (!upload) throw uploadNotFound(of.uploadId)
    const former = await putPartRow(tx, of.uploadId, part, blob)
    await touchUpload(tx, of.uploadId, nowMs)
    // I-23: counted also when the answer to the commit comes late.
    tx.afterCommit(() => {
      reservation.keep(blob.length)
      deps.cache.release(bytesOf(former))
    })
    return former
  })
  await committed()
  await deps.cache.discard(replaced)
  const { sha256: _, ...stored } = part
  return stored
}

export const uploadNotFound = (uploadId: string): Error =>
  storageErrors.upload_not_found({
    message: `there is no open upload '${uploadId}' for this key; create a new one`,
    details: { uploadId },
  })
