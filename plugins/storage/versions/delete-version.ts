/** @walk removal 2: deletes the rows of the version */
import { type Clock, type Database, defineProbe, type Tx } from '#kernel'
import {
  type BucketKey,
  countByContent,
  deleteKeyRows,
  deleteVersionRow,
  findVersionSummary,
  updateKeyState,
  type VersionSummary,
  versionNotFound,
} from '../catalog/versions/key-change-store.ts'
import { findVersion } from '../catalog/versions/version-store.ts'
import type { Buckets, DeletedVersion, VersionPlace, Versions } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'
import { describeRelease, finishReleases, type ReleaseDeps, type Released, release } from './releases.ts'

const deleted = defineProbe('storage.delete.committed')

export interface DeleteDeps extends ReleaseDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'require'>
  readonly clock: Clock
}

const nothing: Released = { isAnyEnded: false, contentIds: [], sharedPackIds: [], cleanupTaskIds: [] }

/** Deletes a version at once, even while its copies are being stored: copies that land on chain later are removed then. */
export async function deleteVersion(deps: DeleteDeps, request: Parameters<Versions['delete']>[0]): Promise<DeletedVersion | undefined> {
  const { condition } = request
  const place = placeOf(deps, request)
  const { version, released } = await deps.database.write(async (tx) => {
    if (condition) condition(await findVersion(tx, place.bucket.id, place.key, request.versionId))
    const version = await findVersionSummary(tx, place, request.versionId)
    return { version, released: version ? await remove(tx, deps, place, version) : nothing }
  })
  await finish(deps, released)
  return version && { versionId: version.versionId, isDeleteMarker: version.contentId === null }
}

export async function deletePermanently(deps: DeleteDeps, request: VersionPlace): ReturnType<Versions['deletePermanently']> {
  const place = placeOf(deps, request)
  const released = await deps.database.write(async (tx) => {
    const version = await findVersionSummary(tx, place, request.versionId)
    if (!version) throw versionNotFound(place, request.versionId)
    if (version.contentId === null)
      throw notDeletable(`version '${version.versionId}' is a delete marker; restore the object or delete the whole object`)
    return await remove(tx, deps, { ...place, requiresIdle: true }, version)
  })
  const outcome = await finish(deps, released)
  return { cacheRelease: describeRelease(released, outcome), cleanupTaskIds: released.cleanupTaskIds, ...sharedOf(released) }
}

export async function deleteObjectPermanently(deps: DeleteDeps, request: VersionPlace): ReturnType<Versions['deleteObjectPermanently']> {
  const place = placeOf(deps, request)
  const { contents, deleteMarkers, released } = await deps.database.write(async (tx) => {
    await requireDeleted(tx, place, request.versionId)
    const groups = await countByContent(tx, place)
    const contents = groups.flatMap(({ contentId, ...group }) => (contentId === null ? [] : { contentId, ...group }))
    await deleteKeyRows(tx, place)
    await updateKeyState(tx, place, { versions: -sum(contents, 'versions'), versionBytes: -sum(contents, 'bytes') })
    return {
      contents,
      deleteMarkers: groups.find(({ contentId }) => contentId === null)?.versions ?? 0,
      released: await release(tx, deps, contents, { nowMs: deps.clock.now(), requiresIdle: true }),
    }
  })
  const { failed } = await finish(deps, released)
  const { cleanupTaskIds } = released
  return { dataVersions: sum(contents, 'versions'), deleteMarkers, failedCacheReleases: failed, cleanupTaskIds, ...sharedOf(released) }
}

const sharedOf = ({ sharedPackIds }: Released) => (sharedPackIds.length === 0 ? {} : { sharedPackIds })

function placeOf({ buckets }: Pick<DeleteDeps, 'buckets'>, { bucket, key }: VersionPlace): BucketKey {
  const found = buckets.require(bucket)
  requireKey(key)
  return { bucket: found, key }
}

/** Deletes a version inside a transaction. Call `finish` after the commit. */
export async function remove(
  tx: Tx,
  deps: Pick<DeleteDeps, 'keepers' | 'clock'>,
  { requiresIdle = false, ...place }: BucketKey & { readonly requiresIdle?: boolean },
  { rseq, contentId, size }: VersionSummary,
): Promise<Released> {
  await deleteVersionRow(tx, place, rseq)
  await updateKeyState(tx, place, contentId === null ? { versions: 0, versionBytes: 0 } : { versions: -1, versionBytes: -size })
  return contentId === null ? nothing : await release(tx, deps, [{ contentId, versions: 1 }], { nowMs: deps.clock.now(), requiresIdle })
}

/** Releases what a committed deletion left without references. */
export async function finish(deps: Pick<DeleteDeps, 'cache' | 'log'>, released: Released): Promise<{ readonly failed: number }> {
  await deleted()
  return finishReleases(deps, released)
}

async function requireDeleted(tx: Tx, place: BucketKey, markerVersionId: string): Promise<void> {
  const current = await findVersionSummary(tx, place)
  if (!current) throw storageErrors.object_not_found({ message: `there is no object '${place.key}' in bucket '${place.bucket.name}'` })
  if (!(await findVersionSummary(tx, place, markerVersionId))) throw versionNotFound(place, markerVersionId)
  if (current.versionId !== markerVersionId || current.contentId !== null) {
    throw notDeletable(`version '${markerVersionId}' is not the current delete marker of '${place.key}'; list its versions again`)
  }
}

const notDeletable = (message: string) => storageErrors.object_version_not_deletable({ message })

const sum = <K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number =>
  rows.reduce((all, row) => all + row[name], 0)
