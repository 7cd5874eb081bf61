import { defineProbe, type Tx } from '#kernel'
import {
  countByContent,
  deleteKeyRows,
  deleteVersionRow,
  findFacts,
  type KeyOf,
  settleKey,
  type VersionFacts,
  versionNotFound,
} from '../catalog/key-change-store.ts'
import { isLastReference } from '../catalog/reference-store.ts'
import { findVersion } from '../catalog/version-store.ts'
import type { DeletedVersion, VersionPlace, Versions } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'
import { describeRelease, finishReleases, type Released, release, requireIdle } from './releases.ts'
import type { VersionParts } from './versions.ts'

const deleted = defineProbe('storage.delete.committed')

const nothing: Released = { contentIds: [], cleanupTaskIds: [] }

/** Removes a version at once, whatever its storage is doing: copies that reach the chain later are removed from there then. */
export async function deleteVersion(parts: VersionParts, request: Parameters<Versions['delete']>[0]): Promise<DeletedVersion | undefined> {
  const { condition } = request
  const place = placeOf(parts, request)
  const { version, released } = await parts.database.write((tx) => {
    if (condition) condition(findVersion(tx, place.bucket.id, place.key, request.versionId))
    const version = findFacts(tx, place, request.versionId)
    return { version, released: version ? remove(tx, parts, place, version) : nothing }
  })
  await finish(parts, released)
  return version && { versionId: version.versionId, isDeleteMarker: version.contentId === null }
}

export async function deletePermanently(parts: VersionParts, request: VersionPlace): ReturnType<Versions['deletePermanently']> {
  const place = placeOf(parts, request)
  const released = await parts.database.write((tx) => {
    const version = findFacts(tx, place, request.versionId)
    if (!version) throw versionNotFound(place, request.versionId)
    if (version.contentId === null)
      throw notDeletable(`version '${version.versionId}' is a delete marker; restore the object or delete it whole`)
    if (isLastReference(tx, version.contentId, 1)) requireIdle(tx, parts.queue, version.contentId)
    return remove(tx, parts, place, version)
  })
  const outcome = await finish(parts, released)
  return { cacheRelease: describeRelease(released, outcome), cleanupTaskIds: released.cleanupTaskIds }
}

export async function deleteObjectPermanently(parts: VersionParts, request: VersionPlace): ReturnType<Versions['deleteObjectPermanently']> {
  const place = placeOf(parts, request)
  const { contents, deleteMarkers, released } = await parts.database.write((tx) => {
    requireDeleted(tx, place, request.versionId)
    const groups = countByContent(tx, place)
    const contents = groups.flatMap(({ contentId, ...group }) => (contentId === null ? [] : { contentId, ...group }))
    for (const { contentId, versions } of contents) if (isLastReference(tx, contentId, versions)) requireIdle(tx, parts.queue, contentId)
    deleteKeyRows(tx, place)
    settleKey(tx, place, { versions: -sum(contents, 'versions'), versionBytes: -sum(contents, 'bytes') })
    return {
      contents,
      deleteMarkers: groups.find(({ contentId }) => contentId === null)?.versions ?? 0,
      released: release(tx, parts, contents, parts.clock.now()),
    }
  })
  const { failed } = await finish(parts, released)
  return { dataVersions: sum(contents, 'versions'), deleteMarkers, failedCacheReleases: failed, cleanupTaskIds: released.cleanupTaskIds }
}

function placeOf({ buckets }: VersionParts, { bucket, key }: VersionPlace): KeyOf {
  const found = buckets.require(bucket)
  requireKey(key)
  return { bucket: found, key }
}

function remove(tx: Tx, parts: VersionParts, place: KeyOf, { rseq, contentId, size }: VersionFacts): Released {
  deleteVersionRow(tx, place, rseq)
  settleKey(tx, place, contentId === null ? { versions: 0, versionBytes: 0 } : { versions: -1, versionBytes: -size })
  return contentId === null ? nothing : release(tx, parts, [{ contentId, versions: 1 }], parts.clock.now())
}

async function finish(parts: VersionParts, released: Released): Promise<{ readonly failed: number }> {
  await deleted()
  return finishReleases(parts, released)
}

function requireDeleted(tx: Tx, place: KeyOf, markerVersionId: string): void {
  const current = findFacts(tx, place)
  if (!current) throw storageErrors.object_not_found({ message: `there is no object '${place.key}' in bucket '${place.bucket.name}'` })
  if (!findFacts(tx, place, markerVersionId)) throw versionNotFound(place, markerVersionId)
  if (current.versionId !== markerVersionId || current.contentId !== null) {
    throw notDeletable(`'${markerVersionId}' is not the delete marker that '${place.key}' is deleted by`)
  }
}

const notDeletable = (message: string) => storageErrors.object_version_not_deletable({ message })

const sum = <K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number =>
  rows.reduce((all, row) => all + row[name], 0)
