// A PUT of a small object as data: the side with the connection of the client makes it, the side with the writer of the database commits it.
import { type Database, SvcError } from '#kernel'
import type { Bucket, Objects, ObjectVersion, PutObject } from '#plugins/storage'
import type { Cache } from '../../plugins/storage/cache/cache.ts'
import { stageBytes } from '../../plugins/storage/cache/database-blobs.ts'
import { digestsOf } from '../../plugins/storage/cache/digests.ts'
import { attachBytes } from '../../plugins/storage/catalog/attach-bytes.ts'
import { commitVersion } from '../../plugins/storage/objects/commit-put.ts'
import type { ObjectDeps } from '../../plugins/storage/objects/objects.ts'
import { refuseBytes, refuseEnd } from '../../plugins/storage/objects/put-checks.ts'
import { requireKey } from '../../plugins/storage/objects/put-object.ts'
import { databaseBytesMax, keepers } from './core.ts'

export interface CommitJob {
  readonly bucket: Bucket
  readonly key: string
  readonly headers: PutObject['headers']
  readonly checksums: Readonly<Record<string, string>>
  readonly etag: string
  readonly sha256: string
  readonly bytes: Uint8Array
}

export interface Committed {
  readonly version: ObjectVersion
  readonly addedBytes: number
}

/** What a PUT needs before its commit: all of `putSmall` but the transaction. */
async function makeJob(request: PutObject, bucket: Bucket): Promise<CommitJob> {
  const { key, size, headers } = request
  requireKey(key)
  if (size === undefined || size === 0 || size > databaseBytesMax) throw new Error('only small objects of known length')
  if (request.condition || request.record) throw new Error('a condition and a record are no data')
  const bytes = request.arrived?.() ?? Buffer.concat(await Array.fromAsync(request.body))
  const limits = { bytesMin: 127, bytesMax: databaseBytesMax }
  refuseBytes(bytes.length, size, limits)
  refuseEnd(bytes.length, size, limits)
  const digests = await digestsOf(bytes, request.checksum)
  const checksums = request.verify?.(digests) ?? {}
  return { bucket, key, headers, checksums, etag: digests.md5, sha256: digests.sha256, bytes }
}

/** `cache`: counts the bytes where it is given. */
export async function runJob({ database, cache }: { database: Database; cache?: Cache }, job: CommitJob): Promise<Committed> {
  const { bucket, key, headers, checksums, etag, sha256, bytes } = job
  const nowMs = Date.now()
  const size = bytes.length
  using reservation = await cache?.reserve(size)
  const blob = stageBytes(bytes, nowMs)
  const deps = { database, cache: cache ?? { discard: async () => {} }, onNewContent: keepers.needed } as unknown as ObjectDeps
  const kept = { keep: (added: number) => reservation?.keep(added) } as never
  const { version, addedBytes } = await commitVersion(
    deps,
    { bucket, key, headers, checksums, body: noBody },
    { blob, reservation: kept },
    {
      size,
      etag,
      nowMs,
      attach: (tx) => attachBytes(tx, { bucket, size, sha256, blob, nowMs }),
    },
  )
  return { version, addedBytes }
}

const noBody = (async function* () {})()

/** An error cannot be cloned with its code. */
export const toFault = (error: unknown) =>
  error instanceof SvcError ? { code: error.code, message: error.message } : { code: 'internal', message: String(error) }

/** `commit` hands the job over. */
export const puttingThrough =
  (find: (name: string) => Bucket, commit: (job: CommitJob) => Promise<Committed>): Objects['put'] =>
  async (request) => {
    const name = typeof request.bucket === 'string' ? request.bucket : request.bucket.name
    return (await commit(await makeJob(request, find(name)))).version
  }
