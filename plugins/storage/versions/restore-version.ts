import { defineProbe, isNotWritten, newUlid, type Tx } from '#kernel'
import type { WrittenBlob } from '../cache/blob-writer.ts'
import { type BlobRef, placeBlob } from '../cache/cache-store.ts'
import type { Reservation } from '../cache/reservation.ts'
import { copyVersionRow, findFacts, type KeyOf, settleKey, versionNotFound } from '../catalog/key-change-store.ts'
import { addReference, markFound, readReadability, sha256OfContent } from '../catalog/reference-store.ts'
import { findVersion, locateVersion } from '../catalog/version-store.ts'
import type { ObjectVersion, Versions } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'
import { isAlreadyCurrent } from './same-version-policy.ts'
import type { VersionParts } from './versions.ts'

const committing = defineProbe('storage.restore.committing')
const committed = defineProbe('storage.restore.committed')
const probes = {
  created: defineProbe('storage.restore.created'),
  written: defineProbe('storage.restore.written'),
  synced: defineProbe('storage.restore.synced'),
  folderSynced: defineProbe('storage.restore.folder-synced'),
}

/** Bringing the bytes of a large object from a slow provider may take this long. */
const restoreMs = 3_600_000

interface Restore extends KeyOf {
  readonly versionId: string
  readonly expectedCurrentVersionId: string
}

type Source = ObjectVersion & { readonly contentId: number }

/**
 * Check · bytes into the cache unless they are there · one transaction: check again, a new version of the same content. Nothing is
 * copied when the cache has the bytes.
 */
export async function restoreVersion(parts: VersionParts, request: Parameters<Versions['restore']>[0]): Promise<ObjectVersion> {
  const bucket = parts.buckets.require(request.bucket)
  requireKey(request.key)
  const restore: Restore = { ...request, bucket }
  const source = requireSource(parts.database.read, restore)
  if (await isCached(parts, restore, source)) return commit(parts, restore, undefined)
  using room = parts.cache.reserve(source.size)
  const blob = await fetchBytes(parts, source, room)
  return commit(parts, restore, { blob, room })
}

/** The version to restore, if it may be. Throws what `restore` of the contract says. */
function requireSource(read: Tx | VersionParts['database']['read'], { bucket, key, versionId, expectedCurrentVersionId }: Restore): Source {
  const source = findVersion(read, bucket.id, key, versionId)
  const current = findVersion(read, bucket.id, key)
  if (!source || !current) throw versionNotFound({ bucket, key }, versionId)
  if (source.contentId === null) {
    throw storageErrors.object_version_is_delete_marker({ message: `version '${versionId}' of '${key}' is a delete marker` })
  }
  if (current.versionId !== expectedCurrentVersionId) {
    throw storageErrors.object_version_changed({
      message: `the current version of '${key}' is '${current.versionId}', not '${expectedCurrentVersionId}'; list its versions again`,
    })
  }
  if (isAlreadyCurrent(source, current, { isReadable: isReadable(read, current) })) {
    throw storageErrors.object_version_already_current({ message: `version '${versionId}' is what '${key}' is now; nothing was changed` })
  }
  return source as Source
}

function isReadable(read: Parameters<typeof readReadability>[0], { contentId }: ObjectVersion): boolean {
  if (contentId === null) return false
  const { isFailed, isCached, readableCopies } = readReadability(read, contentId)
  return !isFailed && (isCached || readableCopies > 0)
}

/** Is the file of the source there, with its bytes (I-30)? One that is not is forgotten. */
async function isCached({ cache, database }: VersionParts, { bucket, key, versionId }: Restore, source: Source): Promise<boolean> {
  const blob = locateVersion(database.read, bucket.id, key, versionId)?.blob
  if (!blob) return false
  if (await cache.isIntact(blob)) return true
  await cache.forget(source.contentId, blob)
  return false
}

/** Brings the bytes from a provider into a file that no row names yet. Throws `cache_full` or `restore_source_unreadable`. */
async function fetchBytes({ cache, database, readRemote }: VersionParts, source: Source, room: Reservation): Promise<WrittenBlob> {
  const sha256 = sha256OfContent(database.read, source.contentId)
  try {
    await using opened = await readRemote(source, source.contentId)
    return await cache.write({
      body: opened.read(),
      onBytes: (total) => room.cover(total),
      onEnd(digests) {
        if (digests.size !== source.size || (sha256 !== null && digests.sha256 !== sha256)) {
          throw new Error(`the provider sent other bytes than those of version '${source.versionId}'`)
        }
      },
      signal: AbortSignal.timeout(restoreMs),
      probes,
    })
  } catch (cause) {
    if (hasCode(cause, 'cache_full') || hasCode(cause, 'cache_busy')) throw cause
    throw storageErrors.restore_source_unreadable({
      message: `the bytes of version '${source.versionId}' of '${source.key}' are not in the cache and cannot be read from a provider now`,
      cause,
    })
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

interface Fetched {
  readonly blob: WrittenBlob
  readonly room: Reservation
}

async function commit(parts: VersionParts, restore: Restore, fetched: Fetched | undefined): Promise<ObjectVersion> {
  const { database, cache } = parts
  await committing()
  let isRefused = false
  try {
    const { version, addedBytes, redundant } = await database.write((tx) => {
      try {
        return record(tx, parts, restore, fetched?.blob)
      } catch (error) {
        isRefused = true
        throw error
      }
    })
    fetched?.room.keep(addedBytes)
    await committed()
    await cache.discard(redundant)
    return version
  } catch (error) {
    // When the commit itself failed, the rows may yet turn out durable after a restart: the file stays, for the sweep to decide.
    if (fetched && (isRefused || isNotWritten(error))) await cache.discard([fetched.blob])
    throw error
  }
}

interface Recorded {
  readonly version: ObjectVersion
  readonly addedBytes: number
  readonly redundant: readonly BlobRef[]
}

function record(tx: Tx, { clock, onNewContent }: VersionParts, restore: Restore, blob: WrittenBlob | undefined): Recorded {
  const { bucket, key, versionId } = restore
  const nowMs = clock.now()
  const { contentId } = requireSource(tx, restore)
  const source = findFacts(tx, { bucket, key }, versionId)
  if (!source) throw versionNotFound({ bucket, key }, versionId)
  const content = addReference(tx, contentId, { targetCopies: bucket.defaultCopies, nowMs })
  copyVersionRow(tx, { bucket, key, source, versionId: newUlid(nowMs), nowMs })
  settleKey(tx, { bucket, key }, { versions: 1, versionBytes: source.size })
  const placed = blob && placeBlob(tx, { contentId, blob, nowMs, isNewContent: false })
  if (blob) markFound(tx, contentId)
  onNewContent(tx, content)
  const version = findVersion(tx, bucket.id, key)
  if (!version) throw new Error(`the restored version of '${key}' vanished inside its transaction`)
  return { version, addedBytes: placed?.addedBytes ?? 0, redundant: placed?.redundant ?? [] }
}
