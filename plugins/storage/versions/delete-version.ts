import { defineProbe, type Tx } from '#kernel'
import {
  type BucketKey,
  countByContent,
  deleteKeyRows,
  deleteVersionRow,
  findVersionSummary,
  updateKeyState,
  type VersionSummary,
  versionNotFound,
} from '../catalog/key-change-store.ts'
import { isLastReference } from '../catalog/reference-store.ts'
import { findVersion } from '../catalog/version-store.ts'
import type { DeletedVersion, VersionPlace, Versions } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'
import { describeRelease, finishReleases, type Released, release, requireIdle } from './releases.ts'
import type { VersionDeps } from './versions.ts'

const deleted = defineProbe('storage.delete.committed')

const nothing: Released = { contentIds: [], cleanupTaskIds: [] }

/** Deletes a version at once, even while its copies are being stored: copies that land on chain later are removed then. */
export async function deleteVersion(deps: VersionDeps, request: Parameters<Versions['delete']>[0]): Promise<DeletedVersion | undefined> {
  const { condition } = request
  const place = placeOf(deps, request)
  const { version, released } = await deps.database.write((tx) => {
    if (condition) condition(findVersion(tx, place.bucket.id, place.key, request.versionId))
    const version = findVersionSummary(tx, place, request.versionId)
    return { version, released: version ? remove(tx, deps, place, version) : nothing }
  })
  await finish(deps, released)
  return version && { versionId: version.versionId, isDeleteMarker: version.contentId === null }
}

export async function deletePermanently(deps: VersionDeps, request: VersionPlace): ReturnType<Versions['deletePermanently']> {
  const place = placeOf(deps, request)
  const released = await deps.database.write((tx) => {
    const version = findVersionSummary(tx, place, request.versionId)
    if (!version) throw versionNotFound(place, request.versionId)
    if (version.contentId === null)
      throw notDeletable(`version '${version.versionId}' is a delete marker; restore the object or delete the whole object`)
    if (isLastReference(tx, version.contentId, 1)) requireIdle(tx, deps, version.contentId)
    return remove(tx, deps, place, version)
  })
  const outcome = await finish(deps, released)
  return { cacheRelease: describeRelease(released, outcome), cleanupTaskIds: released.cleanupTaskIds }
}

export async function deleteObjectPermanently(deps: VersionDeps, request: VersionPlace): ReturnType<Versions['deleteObjectPermanently']> {
  const place = placeOf(deps, request)
  const { contents, deleteMarkers, released } = await deps.database.write((tx) => {
    requireDeleted(tx, place, request.versionId)
    const groups = countByContent(tx, place)
    const contents = groups.flatMap(({ contentId, ...group }) => (contentId === null ? [] : { contentId, ...group }))
    for (const { contentId, versions } of contents) if (isLastReference(tx, contentId, versions)) requireIdle(tx, deps, contentId)
    deleteKeyRows(tx, place)
    updateKeyState(tx, place, { versions: -sum(contents, 'versions'), versionBytes: -sum(contents, 'bytes') })
    return {
      contents,
      deleteMarkers: groups.find(({ contentId }) => contentId === null)?.versions ?? 0,
      released: release(tx, deps, contents, deps.clock.now()),
    }
  })
  const { failed } = await finish(deps, released)
  return { dataVersions: sum(contents, 'versions'), deleteMarkers, failedCacheReleases: failed, cleanupTaskIds: released.cleanupTaskIds }
}

function placeOf({ buckets }: VersionDeps, { bucket, key }: VersionPlace): BucketKey {
  const found = buckets.require(bucket)
  requireKey(key)
  return { bucket: found, key }
}

function remove(tx: Tx, deps: VersionDeps, place: BucketKey, { rseq, contentId, size }: VersionSummary): Released {
  deleteVersionRow(tx, place, rseq)
  updateKeyState(tx, place, contentId === null ? { versions: 0, versionBytes: 0 } : { versions: -1, versionBytes: -size })
  return contentId === null ? nothing : release(tx, deps, [{ contentId, versions: 1 }], deps.clock.now())
}

async function finish(deps: VersionDeps, released: Released): Promise<{ readonly failed: number }> {
  await deleted()
  return finishReleases(deps, released)
}

function requireDeleted(tx: Tx, place: BucketKey, markerVersionId: string): void {
  const current = findVersionSummary(tx, place)
  if (!current) throw storageErrors.object_not_found({ message: `there is no object '${place.key}' in bucket '${place.bucket.name}'` })
  if (!findVersionSummary(tx, place, markerVersionId)) throw versionNotFound(place, markerVersionId)
  if (current.versionId !== markerVersionId || current.contentId !== null) {
    throw notDeletable(`version '${markerVersionId}' is not the current delete marker of '${place.key}'; list its versions again`)
  }
}

const notDeletable = (message: string) => storageErrors.object_version_not_deletable({ message })

const sum = <K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number =>
  rows.reduce((all, row) => all + row[name], 0)
