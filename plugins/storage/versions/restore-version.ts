import { type Clock, type Database, defineProbe, newUlid, type Reader, type Tx } from '#kernel'
import type { WrittenBlob } from '../cache/blobs/blob-writer.ts'
import type { Cache } from '../cache/cache.ts'
import type { Reservation } from '../cache/capacity/reservation.ts'
import { type BlobRef, placeBlob } from '../catalog/cached/cache-entry-store.ts'
import { keptBlobsOf } from '../catalog/cached/damage-store.ts'
import { clearLost } from '../catalog/contents/content-state-store.ts'
import { addReference, isReadable, sha256OfContent } from '../catalog/references/reference-store.ts'
import {
  type BucketKey,
  copyVersionRow,
  findVersionSummary,
  updateKeyState,
  versionNotFound,
} from '../catalog/versions/key-change-store.ts'
import { locateVersion } from '../catalog/versions/location-store.ts'
import { findVersion } from '../catalog/versions/version-store.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import type { Keepers } from '../contents/keepers.ts'
import { type Buckets, isNoRoom, type ObjectVersion, type Versions } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { commitBytes, type Written } from '../objects/commit-put.ts'
import { requireKey } from '../objects/put-object.ts'
import { isAlreadyCurrent } from './same-version-policy.ts'

const committing = defineProbe('storage.restore.committing')
const committed = defineProbe('storage.restore.committed')
const probes = {
  created: defineProbe('storage.restore.created'),
  written: defineProbe('storage.restore.written'),
  synced: defineProbe('storage.restore.synced'),
  folderSynced: defineProbe('storage.restore.folder-synced'),
}

/** Deadline for fetching the bytes from a provider; long enough for a large object and a slow provider. */
const restoreMs = 3_600_000

export interface RestoreDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'require'>
  readonly cache: Pick<Cache, 'check' | 'discard' | 'reserve' | 'settle' | 'write'>
  readonly clock: Clock
  readonly keepers: Pick<Keepers, 'needed'>
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
  /** Called inside the transaction that copied a version. */
  readonly onCopied?: (tx: Tx, fromVersionId: string, toVersionId: string) => Promise<void>
}

interface Restore extends BucketKey {
  readonly versionId: string
  readonly expectedCurrentVersionId: string
}

type Source = ObjectVersion & { readonly contentId: number }

/**
 * Checks the request, fetches the bytes into the cache if they are missing, then checks again and inserts a new version of the same
 * content in one transaction. Cached bytes are not copied. The parts of a composite stay where they are: it may be larger than the cache.
 */
export async function restoreVersion(deps: RestoreDeps, request: Parameters<Versions['restore']>[0]): Promise<ObjectVersion> {
  const bucket = deps.buckets.require(request.bucket)
  requireKey(request.key)
  const restore: Restore = { ...request, bucket }
  const source = await deps.database.snapshot((read) => requireSource(read, restore))
  if (source.size === 0 || (await isCached(deps, restore, source))) return commit(deps, restore, undefined)
  using reservation = await deps.cache.reserve(source.size)
  const blob = await fetchBytes(deps, source, reservation)
  return await commit(deps, restore, { blob, reservation })
}

/** Returns the version to restore. Throws the errors of `Versions.restore`. */
async function requireSource(read: Reader, { bucket, key, versionId, expectedCurrentVersionId }: Restore): Promise<Source> {
  const source = await findVersion(read, bucket.id, key, versionId)
  const current = await findVersion(read, bucket.id, key)
  if (!source || !current) throw versionNotFound({ bucket, key }, versionId)
  if (source.contentId === null) {
    throw storageErrors.object_version_is_delete_marker({ message: `version '${versionId}' of '${key}' is a delete marker` })
  }
  if (current.versionId !== expectedCurrentVersionId) {
    throw storageErrors.object_version_changed({
      message: `the current version of '${key}' is '${current.versionId}', not '${expectedCurrentVersionId}'; list its versions again`,
    })
  }
  if (isAlreadyCurrent(source, current, { isReadable: current.contentId !== null && (await isReadable(read, current.contentId)) })) {
    throw storageErrors.object_version_already_current({
      message: `version '${versionId}' already equals the current version of '${key}'; nothing was changed`,
    })
  }
  return source as Source
}

/**
 * Whether the cached files of the source exist and are intact (I-30): files that fail are looked at again on their disk. A composite has its
 * bytes in its parts; throws `restore_source_unreadable` when one of them is lost.
 */
async function isCached(
  { cache, database }: Pick<RestoreDeps, 'cache' | 'database'>,
  { bucket, key, versionId }: Restore,
  source: Source,
): Promise<boolean> {
  const located = await locateVersion(database.read, bucket.id, key, versionId)
  if (located && located.partCount > 0) {
    if (located.isLost) throw unreadable(source)
    return true
  }
  const blobs = located?.isDamaged ? await keptBlobsOf(database.read, source.contentId) : (located?.blobs ?? [])
  for (const blob of blobs) {
    const { is } = await cache.check(blob)
    if (is === 'intact' && !located?.isDamaged) continue
    if (is === 'unreadable' || (await cache.settle(source.contentId, blob)) !== 'intact') return false
  }
  return blobs.length > 0
}

/** Fetches the bytes from a provider into a file without a row. Throws `cache_full`, `cache_busy` or `restore_source_unreadable`. */
async function fetchBytes(
  { cache, database, openUncached }: Pick<RestoreDeps, 'cache' | 'database' | 'openUncached'>,
  source: Source,
  reservation: Reservation,
): Promise<WrittenBlob> {
  const sha256 = await sha256OfContent(database.read, source.contentId)
  try {
    await using opened = await openUncached(source, source.contentId)
    if (sha256 === null && !opened.isProved) throw unproved()
    return await cache.write({
      body: opened.read(),
      onBytes: (total) => reservation.cover(total),
      onEnd(digests) {
        if (digests.size !== source.size || (sha256 !== null && digests.sha256 !== sha256)) {
          throw new Error(`the bytes from the provider differ from version '${source.versionId}'`)
        }
      },
      signal: AbortSignal.timeout(restoreMs),
      probes,
    })
  } catch (cause) {
    if (isNoRoom(cause)) throw cause
    throw unreadable(source, cause)
  }
}

const unreadable = ({ versionId, key }: Source, cause?: unknown): Error =>
  storageErrors.restore_source_unreadable({
    message: `the bytes of version '${versionId}' of '${key}' cannot be read from the cache or from a provider now; retry later`,
    cause,
  })

/** Other bytes could become those of the version: nothing else would compare them. */
const unproved = (): Error => new Error('the source does not prove the bytes of a content without a recorded SHA-256')

interface Fetched extends Written {
  readonly blob: WrittenBlob
}

async function commit(deps: RestoreDeps, restore: Restore, fetched: Fetched | undefined): Promise<ObjectVersion> {
  await committing()
  const { version, redundant } = await commitBytes(deps, fetched, (tx) => record(tx, deps, restore, fetched?.blob))
  await committed()
  await deps.cache.discard(redundant)
  return version
}

interface Recorded {
  readonly version: ObjectVersion
  readonly addedBytes: number
  readonly redundant: readonly BlobRef[]
}

async function record(
  tx: Tx,
  { clock, keepers, onCopied }: Pick<RestoreDeps, 'clock' | 'keepers' | 'onCopied'>,
  restore: Restore,
  blob: WrittenBlob | undefined,
): Promise<Recorded> {
  const { bucket, key, versionId } = restore
  const nowMs = clock.now()
  const { contentId } = await requireSource(tx, restore)
  const source = await findVersionSummary(tx, { bucket, key }, versionId)
  if (!source) throw versionNotFound({ bucket, key }, versionId)
  const { needsCopies } = await addReference(tx, contentId, { targetCopies: bucket.defaultCopies, nowMs })
  const restoredId = newUlid(nowMs)
  await copyVersionRow(tx, { bucket, key, source, versionId: restoredId, nowMs })
  await onCopied?.(tx, versionId, restoredId)
  await updateKeyState(tx, { bucket, key }, { versions: 1, versionBytes: source.size })
  const file = blob && { ...blob, ownSha256: (await sha256OfContent(tx, contentId)) === null ? blob.sha256 : null }
  const placed = file && (await placeBlob(tx, { contentId, blob: file, nowMs, isNewContent: false }))
  if (blob) await clearLost(tx, contentId)
  for (const content of needsCopies) await keepers.needed(tx, content)
  const version = await findVersion(tx, bucket.id, key)
  if (!version) throw new Error(`the restored version of '${key}' is missing inside its transaction`)
  return { version, addedBytes: placed?.addedBytes ?? 0, redundant: placed?.redundant ?? [] }
}
