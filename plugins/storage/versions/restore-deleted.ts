import type { Database } from '#kernel'
import {
  deleteMarkersAbove,
  findNewestData,
  findVersionSummary,
  updateKeyState,
  versionNotFound,
} from '../catalog/versions/key-change-store.ts'
import { findVersion } from '../catalog/versions/version-store.ts'
import type { Buckets, ObjectVersion, VersionPlace } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'

export interface KeyDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'require'>
}

/** Restores a deleted object by deleting the delete markers above its newest data version. */
export async function restoreDeleted({ buckets, database }: KeyDeps, marker: VersionPlace): Promise<ObjectVersion> {
  const bucket = buckets.require(marker.bucket)
  const { key, versionId } = marker
  requireKey(key)
  return database.write(async (tx) => {
    const place = { bucket, key }
    const current = await findVersionSummary(tx, place)
    if (!current) throw storageErrors.object_not_found({ message: `'${key}' in bucket '${bucket.name}' has no version to restore` })
    if (current.versionId !== versionId) {
      if (!(await findVersionSummary(tx, place, versionId))) throw versionNotFound(place, versionId)
      throw storageErrors.object_version_changed({
        message: `version '${versionId}' is no longer the current version of '${key}'; list its versions again`,
      })
    }
    if (current.contentId !== null)
      throw storageErrors.object_version_changed({
        message: `'${key}' is not deleted: its current version '${versionId}' is not a delete marker`,
      })
    const newest = await findNewestData(tx, place)
    if (!newest) throw storageErrors.object_not_found({ message: `'${key}' in bucket '${bucket.name}' has no version to restore` })
    await deleteMarkersAbove(tx, place, newest.rseq)
    await updateKeyState(tx, place, { versions: 0, versionBytes: 0 })
    const restored = await findVersion(tx, bucket.id, key)
    if (!restored) throw new Error(`the restored version of '${key}' is missing inside its transaction`)
    return restored
  })
}
