import { defineProbe } from '#kernel'
import { Digests } from '../cache/digests.ts'
import { attachBytes } from '../catalog/attach-bytes.ts'
import type { PutResult } from '../catalog/version-store.ts'
import type { Bucket, ObjectVersion, PutObject, SizeLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { commitVersion, type Written } from './commit-put.ts'
import { keyProblem } from './key-policy.ts'
import type { ObjectDeps } from './objects.ts'
import { largeProblem, sizeProblem } from './size-policy.ts'

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
  const limits = deps.sizes()
  if (request.size !== undefined) refuse(sizeProblem(request.size, limits))
  const put: Put = { request, bucket, limits }
  return request.size === 0 ? putEmpty(deps, put) : putOne(deps, put)
}

interface Put {
  readonly request: PutObject
  readonly bucket: Bucket
  readonly limits: SizeLimits
}

/** A body that becomes one content. */
async function putOne(deps: ObjectDeps, put: Put): Promise<ObjectVersion> {
  const { request } = put
  using reservation = await deps.cache.reserve(request.size)
  await reserved()
  let checksums: Checksums = {}
  const blob = await deps.cache.write({
    body: request.body,
    onBytes(total) {
      refuseBytes(total, put)
      return reservation.cover(total)
    },
    onEnd(digests) {
      refuseEnd(digests.size, put)
      checksums = request.verify?.(digests) ?? checksums
    },
    signal: request.signal,
    probes,
  })
  if (blob.size > 0) return commit(deps, put, { ...blob, checksums }, { blob, reservation })
  await deps.cache.discard([blob])
  return commit(deps, put, { ...blob, checksums }, undefined)
}

/** An empty object is metadata only: it takes no file and no room in the cache. */
async function putEmpty(deps: ObjectDeps, put: Put): Promise<ObjectVersion> {
  const { body, verify, signal } = put.request
  for await (const chunk of body) {
    signal?.throwIfAborted()
    refuseBytes(chunk.length, put)
  }
  const digests = { size: 0, ...new Digests().finish() }
  return commit(deps, put, { ...digests, checksums: verify?.(digests) ?? {} }, undefined)
}

type Checksums = Readonly<Record<string, string>>

interface Body {
  readonly size: number
  readonly md5: string
  readonly sha256: string
  readonly checksums: Checksums
}

/** Without a file the object is empty. */
async function commit(deps: ObjectDeps, { request, bucket }: Put, body: Body, written: Written | undefined): Promise<ObjectVersion> {
  await committing()
  const nowMs = deps.clock.now()
  const { size, md5: etag, sha256, checksums } = body
  const { version, redundant }: PutResult = await commitVersion(deps, { ...request, bucket, checksums }, written, {
    size,
    etag,
    nowMs,
    attach: (tx) => attachBytes(tx, { bucket, size, sha256, blob: written?.blob, nowMs }),
  })
  await committed()
  await deps.cache.discard(redundant)
  return version
}

export function requireKey(key: string): void {
  const problem = keyProblem(key)
  if (problem) throw storageErrors.invalid_key({ message: `the object key ${problem}` })
}

function refuseBytes(total: number, { request, limits }: Put): void {
  if (request.size !== undefined && total > request.size) {
    throw storageErrors.incomplete_body({ message: `the body has more than the declared ${request.size} bytes` })
  }
  refuse(largeProblem(total, limits))
}

function refuseEnd(size: number, { request, limits }: Put): void {
  if (request.size !== undefined && size < request.size) {
    throw storageErrors.incomplete_body({ message: `the body ended after ${size} of the declared ${request.size} bytes` })
  }
  refuse(sizeProblem(size, limits))
}

function refuse(problem: ReturnType<typeof sizeProblem>): void {
  if (problem) throw storageErrors[problem.code]({ message: problem.message })
}
