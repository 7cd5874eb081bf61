import { defineProbe, isNotWritten, newUlid, type Tx } from '#kernel'
import type { WrittenBlob } from '../cache/blob-writer.ts'
import { type PutResult, putVersion } from '../catalog/version-store.ts'
import type { Bucket, ObjectVersion, PutObject } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { keyProblem } from './key-policy.ts'
import type { ObjectParts } from './objects.ts'
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
 * P0 reserve room · P1 write the body to a new file · P2 fdatasync it · P3 fsync its folder · P4, P5 commit the rows · P6 answer.
 * Before P5 nothing is visible and a crash leaves an orphan file; after it the object is durable (I-01).
 */
export async function putObject(parts: ObjectParts, request: PutObject): Promise<ObjectVersion> {
  const bucket = parts.buckets.require(request.bucket)
  requireKey(request.key)
  if (request.size !== undefined) refuse(sizeProblem(request.size, parts.sizes))
  using room = parts.cache.reserve(request.size)
  await reserved()
  let checksums: Readonly<Record<string, string>> = {}
  const blob = await parts.cache.write({
    body: request.body,
    onBytes(total) {
      refuseBytes(total, request.size, parts.sizes)
      room.cover(total)
    },
    onEnd(digests) {
      refuseEnd(digests.size, request.size, parts.sizes)
      checksums = request.verify?.(digests) ?? checksums
    },
    signal: request.signal,
    probes,
  })
  await committing()
  const { version, addedBytes, redundant } = await commit(parts, { ...request, bucket, checksums }, blob)
  room.keep(addedBytes)
  await committed()
  await parts.cache.discard(redundant)
  return version
}

export function requireKey(key: string): void {
  const problem = keyProblem(key)
  if (problem) throw storageErrors.invalid_key({ message: `the object key ${problem}` })
}

type Checked = Omit<PutObject, 'bucket'> & { readonly bucket: Bucket; readonly checksums: Readonly<Record<string, string>> }

async function commit(parts: ObjectParts, put: Checked, blob: WrittenBlob): Promise<PutResult> {
  const nowMs = parts.clock.now()
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
  let isRefused = false
  const job = (tx: Tx): PutResult => {
    try {
      put.signal?.throwIfAborted()
      const result = putVersion(tx, row)
      parts.onNewContent?.(tx, result.content)
      return result
    } catch (error) {
      isRefused = true
      throw error
    }
  }
  try {
    return await parts.database.write(job)
  } catch (error) {
    // When the commit itself failed, the rows may yet turn out durable after a restart: the file stays, for the sweep to decide.
    if (isRefused || isNotWritten(error)) await parts.cache.discard([blob])
    throw error
  }
}

function refuseBytes(total: number, declared: number | undefined, sizes: SizeLimits): void {
  if (declared !== undefined && total > declared) {
    throw storageErrors.incomplete_body({ message: `the body has more than the declared ${declared} bytes` })
  }
  refuse(largeProblem(total, sizes))
}

function refuseEnd(size: number, declared: number | undefined, sizes: SizeLimits): void {
  if (declared !== undefined && size < declared) {
    throw storageErrors.incomplete_body({ message: `the body ended after ${size} of the declared ${declared} bytes` })
  }
  refuse(sizeProblem(size, sizes))
}

function refuse(problem: ReturnType<typeof sizeProblem>): void {
  if (problem) throw storageErrors[problem.code]({ message: problem.message })
}
