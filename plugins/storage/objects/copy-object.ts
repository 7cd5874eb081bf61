import { defineProbe, newUlid, type Tx } from '#kernel'
import { writeRows } from '../cache/blobs/write-rows.ts'
import type { Cache } from '../cache/cache.ts'
import { type BlobRef, type ExpectedBlob, placeBlobs } from '../catalog/cached/cache-entry-store.ts'
import { attachContent } from '../catalog/contents/content-store.ts'
import { addReference, findIdentity, isStored } from '../catalog/references/reference-store.ts'
import { partsTextOf } from '../catalog/versions/version-parts-store.ts'
import { addCurrent, findVersion, type NewCurrent, type PutResult, type Referred } from '../catalog/versions/version-store.ts'
import type { Bucket, CopyObject, ObjectHeaders, Objects, PutObject } from '../contract.ts'
import type { CommitDeps } from './commit-put.ts'
import { type Located, locate, notFound, type OpenObjectDeps, openObject, refuseLost } from './open-object.ts'
import { refuse } from './put-checks.ts'
import { type PutDeps, putObject, requireKey } from './put-object.ts'
import { sizeProblem } from './size-policy.ts'

const linked = defineProbe('storage.copy.linked')
const committing = defineProbe('storage.copy.committing')
const committed = defineProbe('storage.copy.committed')

type Copied = Awaited<ReturnType<Objects['copy']>>

interface Copy {
  readonly request: CopyObject
  readonly source: Located
  readonly sourceBucket: Bucket
  readonly bucket: Bucket
  readonly multipartParts: Awaited<ReturnType<typeof partsTextOf>>
}

export type CopyDeps = OpenObjectDeps & PutDeps & { readonly cache: Pick<Cache, 'reserve' | 'link'> }

/** Adds a reference within a bucket. To another bucket: linked files, or else the bytes are read and written. */
export async function copyObject(deps: CopyDeps, request: CopyObject): Promise<Copied> {
  const sourceBucket = deps.buckets.require(request.source.bucket)
  const bucket = deps.buckets.require(request.target.bucket)
  requireKey(request.target.key)
  const source = await locate(deps, sourceBucket.id, request.source)
  request.sourceCondition?.(source.version)
  refuse(sizeProblem(source.version.size, deps.sizes()))
  const multipartParts = await partsTextOf(deps.database.read, source.version.versionId)
  const copy: Copy = { request, source, sourceBucket, bucket, multipartParts }
  if (bucket.id === sourceBucket.id) return referAgain(deps, copy)
  return (await linkFiles(deps, copy)) ?? readBytes(deps, copy)
}

async function referAgain(deps: CommitDeps & Pick<CopyDeps, 'openUncached'>, copy: Copy): Promise<Copied> {
  const { source, bucket } = copy
  await requireReadable(deps, source)
  return commit(deps, copy, [], async (tx, put) => {
    // The source may have been deleted since, and its content with it.
    const { key, versionId } = source.version
    if (!(await findVersion(tx, bucket.id, key, versionId))) throw notFound(bucket.name, key, versionId)
    const referred = await addReference(tx, source.version.contentId, { targetCopies: bucket.defaultCopies, nowMs: put.nowMs })
    return { ...referred, addedBytes: 0, redundant: [] }
  })
}

/** Throws `content_unavailable` when the bytes are neither cached nor stored: the copy could not be read either. */
async function requireReadable({ database, openUncached }: Pick<CopyDeps, 'database' | 'openUncached'>, source: Located): Promise<void> {
  const { version, blobs, partCount } = source
  if (partCount > 0) return refuseLost(source)
  if (version.size === 0 || blobs.length > 0 || (await isStored(database.read, version.contentId))) return
  await (await openUncached(version, version.contentId))[Symbol.asyncDispose]()
}

/** Returns nothing when the source is not cached as one content, or its files are damaged or cannot be linked. */
async function linkFiles(deps: CommitDeps & Pick<CopyDeps, 'cache'>, copy: Copy): Promise<Copied | undefined> {
  const { source, sourceBucket, bucket } = copy
  const { key, versionId } = source.version
  if (source.blobs.length === 0) return undefined
  using reservation = await deps.cache.reserve(source.version.size)
  const links = await deps.cache.link(source.blobs, linked)
  if (!links) return undefined
  return await commit(deps, copy, links, async (tx, put) => {
    const identity = await findIdentity(tx, source.version.contentId)
    // The source was deleted, perhaps before its parts were read.
    if (!identity || !(await findVersion(tx, sourceBucket.id, key, versionId))) throw notFound(sourceBucket.name, key, versionId)
    const content = await attachContent(tx, {
      ...identity,
      bucketId: bucket.id,
      size: put.size,
      targetCopies: bucket.defaultCopies,
      nowMs: put.nowMs,
    })
    const blobs = links.map((link, at) => ({ ...link, ownSha256: identity.sha256 === null ? sha256Of(source.blobs[at]) : null }))
    const placed = await placeBlobs(tx, { contentId: content.id, blobs, nowMs: put.nowMs, isNewContent: content.reason === 'new' })
    tx.afterCommit(() => reservation.keep(placed.addedBytes))
    return { content, needsCopies: [content], ...placed }
  })
}

const sha256Of = (blob: ExpectedBlob | undefined): string | null => blob?.sha256 ?? null

async function readBytes(deps: CopyDeps, copy: Copy): Promise<Copied> {
  const { request, source, sourceBucket, bucket, multipartParts } = copy
  const { version } = source
  await using opened = await openObject(deps, { ...request.source, bucket: sourceBucket, versionId: version.versionId })
  const { checksums, ...headers } = headersOf(copy)
  const { etag, size } = version
  const put: PutObject = {
    ...request.target,
    bucket,
    body: opened.read(),
    size,
    headers,
    verify: () => checksums,
    ...(request.condition && { condition: request.condition }),
    ...(request.record && { record: request.record }),
    ...(request.signal && { signal: request.signal }),
  }
  return { version: await putObject(deps, put, { etag, multipartParts }), source: version }
}

function headersOf({ request, source: { version } }: Copy): ObjectHeaders {
  return { ...(request.headers ?? version.headers), checksums: request.checksums ?? version.headers.checksums }
}

/** Adds the version with a content that `refer` makes or finds, in one transaction. `files` are removed when it is refused. */
async function commit(
  deps: CommitDeps,
  copy: Copy,
  files: readonly BlobRef[],
  refer: (tx: Tx, put: NewCurrent) => Promise<Referred>,
): Promise<Copied> {
  const nowMs = deps.clock.now()
  const { request, source, bucket, multipartParts } = copy
  const { version } = source
  const headers = headersOf(copy)
  const { size, etag } = version
  const { target, condition, record } = request
  const row = { bucket, key: target.key, versionId: newUlid(nowMs), nowMs, size, etag, headers, condition, record }
  await committing()
  const result = await writeRows(deps, files, async (tx): Promise<PutResult> => {
    request.signal?.throwIfAborted()
    const put = { ...row, multipartParts }
    const added = await addCurrent(tx, put, () => refer(tx, put))
    for (const content of added.needsCopies) await deps.onNewContent?.(tx, content)
    return added
  })
  await committed()
  await deps.cache.discard(result.redundant)
  return { version: result.version, source: version }
}
