import type { Cache } from '../cache/cache.ts'
import { digestsOf } from '../cache/verification/digests.ts'
import type { ObjectVersion } from '../contract.ts'
import type { CommitDeps } from './commit-put.ts'
import { type Put, refuseBytes, refuseEnd } from './put-checks.ts'
import { commitOne } from './put-one.ts'
import { putProbes } from './put-probes.ts'

export type PutSmallDeps = CommitDeps & { readonly cache: Pick<Cache, 'reserve' | 'stage'> }

/** A body of declared size that is kept in memory and written with the rows of its content: one commit makes both durable (I-01). */
export async function putSmall(deps: PutSmallDeps, put: Put): Promise<ObjectVersion> {
  const { request, limits } = put
  using reservation = await deps.cache.reserve(request.size ?? 0)
  await putProbes.reserved()
  const bytes = request.arrived?.() ?? (await collect(put))
  refuseBytes(bytes.length, request.size, limits)
  refuseEnd(bytes.length, request.size, limits)
  const digests = await digestsOf(bytes, request.checksum)
  const checksums = request.verify?.(digests) ?? {}
  await putProbes.collected()
  return await commitOne(
    deps,
    put,
    { size: digests.size, md5: digests.md5, sha256: digests.sha256, checksums },
    { blob: deps.cache.stage(bytes), reservation },
  )
}

/** Collects at most the declared bytes. A body of one chunk, the usual one, is not copied. */
async function collect({ request: { body, size, signal }, limits }: Put): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of body) {
    signal?.throwIfAborted()
    if (chunk.length === 0) continue
    total += chunk.length
    refuseBytes(total, size, limits)
    chunks.push(chunk)
  }
  const [first] = chunks
  return first && chunks.length === 1 ? first : Buffer.concat(chunks, total)
}
