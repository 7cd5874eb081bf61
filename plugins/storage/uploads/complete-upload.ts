/** @walk parts 2: joins the parts into a version */
import { defineProbe, newUlid, type Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { bytesOf } from '../catalog/cached/cache-entry-store.ts'
import { dropParts, pageOfParts, type StoredPart } from '../catalog/uploads/upload-part-store.ts'
import { closeUpload, findUpload, lockOpenUpload, type StoredUpload, type UploadKey } from '../catalog/uploads/upload-store.ts'
import { formatParts } from '../catalog/versions/version-parts-store.ts'
import { addCurrent, findVersion, type NewCurrent } from '../catalog/versions/version-store.ts'
import { type Bucket, type Buckets, type CompleteUpload, type ObjectVersion, uploadLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import type { CommitDeps } from '../objects/commit-put.ts'
import { refuse } from '../objects/put-checks.ts'
import { sizeProblem } from '../objects/size-policy.ts'
import { attachLeaves, PartsReplaced } from './attach-leaves.ts'
import { chooseParts, digestOf, sizeOf } from './chosen-parts.ts'
import { etagOf, type Leaf, leavesOf } from './leaves.ts'
import { type PutPartDeps, uploadNotFound } from './put-part.ts'
import { type VerifyDeps, verifyLeaves } from './verify-leaves.ts'

const planned = defineProbe('storage.upload.completion-planned')
const committing = defineProbe('storage.upload.completion-committing')
const committed = defineProbe('storage.upload.completion-committed')
const cleaned = defineProbe('storage.upload.completion-cleaned')

/** A part that is replaced during the completion makes the plan stale. After this many plans the completion is refused. */
const plansMax = 8

type CompletionDeps = CommitDeps & { readonly cache: Pick<Cache, 'release'> }
export type CompleteDeps = CompletionDeps &
  VerifyDeps &
  Pick<PutPartDeps, 'sizes' | 'parts'> & { readonly buckets: Pick<Buckets, 'require'> }

/**
 * Reads and checks the parts, then makes their files the files of its contents in one transaction (I-01). No byte is copied: the files are
 * durable since their upload. A crash before the commit leaves the open upload, one after it the object.
 */
export async function completeUpload(deps: CompleteDeps, request: CompleteUpload): Promise<ObjectVersion> {
  const bucket = deps.buckets.require(request.bucket)
  const of = { bucketId: bucket.id, key: request.key, uploadId: request.uploadId }
  const intact = new Set<string>()
  for (let plans = 0; plans < plansMax; plans++) {
    const { upload, parts } = await deps.database.snapshot((read) => readUpload(read, of))
    request.permit?.(upload)
    if (upload.completed) return await findCompleted(deps, of, upload.completed, request)
    const plan = await planOf(deps, { bucket, upload, parts }, request)
    await verifyLeaves(deps, { ...of, leaves: plan.leaves, intact })
    await planned()
    const version = await commit(deps, of, request, { ...plan, intact })
    if (version) return version
  }
  throw storageErrors.invalid_part({ message: `parts of the upload are replaced during its completion; complete it after the last part` })
}

interface ReadUpload {
  readonly upload: StoredUpload
  readonly parts: readonly StoredPart[]
}

async function readUpload(read: Parameters<typeof findUpload>[0], of: UploadKey): Promise<ReadUpload> {
  const upload = await findUpload(read, of)
  if (!upload) throw uploadNotFound(of.uploadId)
  return { upload, parts: upload.completed ? [] : await pageOfParts(read, of.uploadId, 0, uploadLimits.partNumberMax) }
}

/** A repeated completion, such as of a client that did not get the answer. */
async function findCompleted(
  { database }: Pick<CompleteDeps, 'database'>,
  { bucketId, key, uploadId }: UploadKey,
  { versionId, namedParts }: NonNullable<StoredUpload['completed']>,
  { parts }: CompleteUpload,
): Promise<ObjectVersion> {
  const version = namedParts === digestOf(parts) ? await findVersion(database.read, bucketId, key, versionId) : undefined
  if (!version) throw uploadNotFound(uploadId)
  return version
}

interface Plan extends Omit<NewCurrent, 'versionId' | 'nowMs'> {
  readonly leaves: readonly Leaf[]
}

interface VerifiedPlan extends Plan {
  /** Ids of the files that may replace cached files. */
  readonly intact: ReadonlySet<string>
}

async function planOf(
  { sizes, parts: { bytesMax } }: Pick<CompleteDeps, 'sizes' | 'parts'>,
  { bucket, upload, parts }: ReadUpload & { readonly bucket: Bucket },
  request: CompleteUpload,
): Promise<Plan> {
  const chosen = chooseParts(parts, request)
  const size = sizeOf(chosen)
  refuse(sizeProblem(size, sizes()))
  const checksums = (await request.verify?.(chosen, upload)) ?? {}
  return {
    bucket,
    key: upload.key,
    size,
    etag: etagOf(chosen),
    headers: { ...upload.headers, checksums },
    condition: request.condition,
    record: request.record,
    multipartParts: formatParts(chosen),
    leaves: leavesOf(chosen, bytesMax),
  }
}

/** Returns nothing when the upload or its parts have changed since the plan. */
async function commit(
  deps: CompletionDeps,
  of: UploadKey,
  { parts }: CompleteUpload,
  { leaves, intact, ...plan }: VerifiedPlan,
): Promise<ObjectVersion | undefined> {
  const nowMs = deps.clock.now()
  const put: NewCurrent = { ...plan, versionId: newUlid(nowMs), nowMs }
  await committing()
  try {
    const write = async (tx: Tx) => {
      if (!(await lockOpenUpload(tx, of))) return undefined
      const added = await addCurrent(tx, put, () => attachLeaves(tx, { uploadId: of.uploadId, intact }, put, leaves))
      const dropped = await dropParts(tx, of.uploadId)
      await closeUpload(tx, of.uploadId, { nowMs, versionId: put.versionId, namedParts: digestOf(parts) })
      for (const content of added.needsCopies) await deps.onNewContent?.(tx, content)
      // The parts were counted: now the contents are.
      tx.afterCommit(() => deps.cache.release(plan.size + bytesOf(dropped) - added.addedBytes))
      return { version: added.version, unused: [...added.redundant, ...dropped] }
    }
    const done = await deps.database.write(write, { rows: parts.length })
    if (!done) return undefined
    await committed()
    await deps.cache.discard(done.unused)
    await cleaned()
    return done.version
  } catch (error) {
    if (error instanceof PartsReplaced) return undefined
    throw error
  }
}
