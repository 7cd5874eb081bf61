import { database, defineRoutes, serveEndpoint } from '#kernel'
import { buckets, packs, versions } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { deleteObjectPermanently, deleteVersionPermanently } from './version-api.ts'

export const deletionRoutes = defineRoutes({
  name: 'object-deletions',
  uses: { buckets, versions, packs, database },
  endpoints: [deleteVersionPermanently, deleteObjectPermanently],
  register(app, { buckets, versions, packs, database }) {
    async function describeShared(bucketId: number, packIds: readonly number[] = []) {
      if (packIds.length === 0) return {}
      const days = await packs.erasesWithinDays(database.read, bucketId)
      return { shared_pieces: { pack_ids: [...packIds], ...(days !== undefined && { erased_within_days: days }) } }
    }

    serveEndpoint(app, deleteVersionPermanently, async ({ params, body: { key, version_id: versionId } }) => {
      const { id, name: bucket } = requireBucket(buckets, params.name)
      const { cacheRelease, cleanupTaskIds, sharedPackIds } = await versions.deletePermanently({ bucket, key, versionId })
      // One task per data set; the answer has room for one id.
      const [taskId] = cleanupTaskIds
      return {
        key,
        version_id: versionId,
        cache_release: cacheRelease,
        ...(taskId === undefined ? {} : { storage_cleanup_task_id: taskId }),
        ...(await describeShared(id, sharedPackIds)),
      }
    })

    serveEndpoint(app, deleteObjectPermanently, async ({ params, body: { key, delete_marker_version_id: versionId } }) => {
      const { id, name: bucket } = requireBucket(buckets, params.name)
      const deleted = await versions.deleteObjectPermanently({ bucket, key, versionId })
      return {
        key,
        delete_marker_version_id: versionId,
        data_versions_deleted: deleted.dataVersions,
        delete_markers_deleted: deleted.deleteMarkers,
        cache_cleanup_failed_count: deleted.failedCacheReleases,
        storage_cleanup_task_ids: [...deleted.cleanupTaskIds],
        ...(await describeShared(id, deleted.sharedPackIds)),
      }
    })
  },
})
