import type { Cache } from '../cache/cache.ts'
import { digestsOf } from '../cache/verification/digests.ts'
import { attachBytes } from '../catalog/references/attach-bytes.ts'
import type { PutResult } from '../catalog/versions/version-store.ts'
import type { ObjectVersion } from '../contract.ts'
import { type CommitDeps, commitVersion, type Written } from './commit-put.ts'
import { type Put, refuseBytes, refuseEnd } from './put-checks.ts'
import { putProbes } from './put-probes.ts'

export type PutOneDeps = CommitDeps & { readonly cache: Pick<Cache, 'reserveArriving' | 'write'> }

/** A body that becomes one content. */
export async function putOne(deps: PutOneDeps, put: Put): Promise<ObjectVersion> {
  const { request } = put
  using reservation = await deps.cache.reserveArriving(request)
  await putProbes.reserved()
  let checksums: Checksums = {}
  const blob = await deps.cache.write({
    body: request.body,
    size: request.size,
    checksum: request.checksum,
    onBytes(total) {
      refuseBytes(total, request.size, put.limits)
      return reservation.cover(total)
    },
    onEnd(digests) {
      refuseEnd(digests.size, request.size, put.limits)
      checksums = request.verify?.(digests) ?? checksums
    },
    signal: request.signal,
    probes: putProbes,
  })
  if (blob.size > 0) return await commitOne(deps, put, { ...blob, checksums }, { blob, reservation })
  await deps.cache.discard([blob])
  return await commitOne(deps, put, { ...blob, checksums }, undefined)
}

/** An empty object is metadata only: it takes no file and no room in the cache. */
export async function putEmpty(deps: CommitDeps, put: Put): Promise<ObjectVersion> {
  const { body, size, checksum, verify, signal } = put.request
  for await (const chunk of body) {
    signal?.throwIfAborted()
    refuseBytes(chunk.length, size, put.limits)
  }
  refuseEnd(0, size, put.limits)
  const digests = await digestsOf(new Uint8Array(0), checksum)
  return commitOne(deps, put, { ...digests, checksums: verify?.(digests) ?? {} }, undefined)
}

type Checksums = Readonly<Record<string, string>>

interface Body {
  readonly size: number
  readonly md5: string
  readonly sha256: string
  readonly checksums: Checksums
}

/** Commits an empty object without a file. */
export async function commitOne(
  deps: CommitDeps,
  { request, bucket, copied }: Put,
  { size, md5, sha256, checksums }: Body,
  written: Written | undefined,
): Promise<ObjectVersion> {
  await putProbes.committing()
  const nowMs = deps.clock.now()
  const { version, redundant }: PutResult = await commitVersion(deps, { ...request, bucket, checksums }, written, {
    size,
    etag: md5,
    ...copied,
    nowMs,
    attach: (tx) => attachBytes(tx, { bucket, size, sha256, blob: written?.blob, nowMs }),
  })
  await putProbes.committed()
  await deps.cache.discard(redundant)
  return version
}
