import { deleteMarkersAbove, findFacts, findNewestData, settleKey, versionNotFound } from '../catalog/key-change-store.ts'
import { findVersion } from '../catalog/version-store.ts'
import type { ObjectVersion, VersionPlace } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { requireKey } from '../objects/put-object.ts'
import type { VersionParts } from './versions.ts'

/** Brings a deleted object back: the markers above its newest bytes go. */
export async function restoreDeleted({ buckets, database }: VersionParts, marker: VersionPlace): Promise<ObjectVersion> {
  const bucket = buckets.require(marker.bucket)
  const { key, versionId } = marker
  requireKey(key)
  return database.write((tx) => {
    const place = { bucket, key }
    const current = findFacts(tx, place)
    if (!current) throw storageErrors.object_not_found({ message: `'${key}' in bucket '${bucket.name}' has no version to restore` })
    if (current.versionId !== versionId) {
      if (!findFacts(tx, place, versionId)) throw versionNotFound(place, versionId)
      throw storageErrors.object_version_changed({ message: `version '${versionId}' is not the current one of '${key}' any more` })
    }
    if (current.contentId !== null)
      throw storageErrors.object_version_changed({ message: `'${key}' is not deleted: '${versionId}' has bytes` })
    const newest = findNewestData(tx, place)
    if (!newest) throw storageErrors.object_not_found({ message: `'${key}' in bucket '${bucket.name}' has no version to restore` })
    deleteMarkersAbove(tx, place, newest.rseq)
    settleKey(tx, place, { versions: 0, versionBytes: 0 })
    const restored = findVersion(tx, bucket.id, key)
    if (!restored) throw new Error(`the restored version of '${key}' vanished inside its transaction`)
    return restored
  })
}
