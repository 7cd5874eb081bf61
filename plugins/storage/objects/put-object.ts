import { defineProbe, isNotWritten, newUlid, type Tx } from '#kernel'
import type { WrittenBlob } from '../cache/blob-writer.ts'
import type { Reservation } from '../cache/reservation.ts'
import type { BlobRef } from '../catalog/cache-entry-store.ts'
import { type PutResult, putVersion } from '../catalog/version-store.ts'
import type { Bucket, ObjectVersion, PutObject } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { keyProblem } from './key-policy.ts'
import type { ObjectDeps } from './objects.ts'
import { largeProblem, type SizeLimits, sizeProblem } from './size-policy.ts'

const reserved = defineProbe('storage.put.reserved')
const committing = defineProbe('storage.put.committing')
const committed = defineProbe('storage.put.committed')
const probes = {
  created: defineProbe('storage.put.created'),
  written: defineProbe('storage.put.written'),
  synced: defineProbe('storage.put.synced'),
  folderSynced: defineProbe('storage.put.folder-synced'),
}

/**
 * P0 reserve cache space · P1 write the body to a new file · P2 fdatasync it · P3 fsync its folder · P4, P5 commit the rows · P6 answer.
 * Before P5 the object is invisible and a crash leaves an orphan file; after P5 it is durable (I-01).
 */
export async function putObject(deps: ObjectDeps, request: PutObject): Promise<ObjectVersion> {
  const bucket = deps.buckets.require(request.bucket)
  requireKey(request.key)
  if (request.size !== undefined) refuse(sizeProblem(request.size, deps.sizes))
  using reservation = await deps.cache.reserve(request.size)
  await reserved()
  let checksums: Readonly<Record<string, string>> = {}
  const blob = await deps.cache.write({
    body: request.body,
    onBytes(total) {
      refuseBytes(total, request.size, deps.sizes)
      return reservation.cover(total)
    },
    onEnd(digests) {
      refuseEnd(digests.size, request.size, deps.sizes)
      checksums = request.verify?.(digests) ?? checksums
    },
    signal: request.signal,
    probes,
  })
  await committing()
  const { version, redundant } = await commit(deps, { ...request, bucket, checksums }, { blob, reservation })
  await committed()
  await deps.cache.discard(redundant)
  return version
}

export function requireKey(key: string): void {
  const problem = keyProblem(key)
  if (problem) throw storageErrors.invalid_key({ message: `the object key ${problem}` })
}

type Checked = Omit<PutObject, 'bucket'> & { readonly bucket: Bucket; readonly checksums: Readonly<Record<string, string>> }

interface Written {
  readonly blob: WrittenBlob
  readonly reservation: Reservation
}

function commit(deps: ObjectDeps, put: Checked, { blob, reservation }: Written): Promise<PutResult> {
  const nowMs = deps.clock.now()
  const row = {
    bucket: put.bucket,
    key: put.key,
    versionId: newUlid(nowMs),
    nowMs,
    size: blob.size,
    etag: blob.md5,
    sha256: blob.sha256,
    headers: { ...put.headers, checksums: put.checksums },
    blob,
    condition: put.condition,
  }
  return writeRows(deps, [blob], async (tx) => {
    put.signal?.throwIfAborted()
    const result = await putVersion(tx, row)
    await deps.onNewContent?.(tx, result.content)
    // I-23: counted also when the answer to the commit comes late.
    tx.afterCommit(() => reservation.keep(result.addedBytes))
    return result
  })
}

/** Records new files. Removes them when their rows are certainly not written. */
export async function writeRows<T>(
  { database, cache }: Pick<ObjectDeps, 'database' | 'cache'>,
  blobs: readonly BlobRef[],
  job: (tx: Tx) => Promise<T>,
): Promise<T> {
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

export function refuseBytes(total: number, declared: number | undefined, sizes: SizeLimits): void {
  if (declared !== undefined && total > declared) {
    throw storageErrors.incomplete_body({ message: `the body has more than the declared ${declared} bytes` })
  }
  refuse(largeProblem(total, sizes))
}

export function refuseEnd(size: number, declared: number | undefined, sizes: SizeLimits): void {
  if (declared !== undefined && size < declared) {
    throw storageErrors.incomplete_body({ message: `the body ended after ${size} of the declared ${declared} bytes` })
  }
  refuse(sizeProblem(size, sizes))
}

export function refuse(problem: ReturnType<typeof sizeProblem>): void {
  if (problem) throw storageErrors[problem.code]({ message: problem.message })
}
