import { defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { buckets, versions } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { shownPlacements } from '../buckets/shown-placements.ts'
import { describeVersions } from './describe-version.ts'
import { readPageSize } from './page-size-policy.ts'
import { refuseFullCache } from './refuse-full-cache.ts'
import { listDeletedObjects, listDeletions, listObjectVersions, restoreObject, restoreObjectVersion } from './version-api.ts'

/** Versions of keys, and restores. */
export const versionRoutes = defineRoutes({
  name: 'object-versions',
  uses: { buckets, placements: shownPlacements, versions },
  endpoints: [listObjectVersions, restoreObjectVersion, listDeletedObjects, listDeletions, restoreObject],
  register(app, { buckets, placements, versions }) {
    serveEndpoint(app, listObjectVersions, async ({ params, query: { key, version_marker: after, limit } }) => {
      const { name: bucket } = requireBucket(buckets, params.name)
      const page = await versions.ofKey({ bucket, key, limit: readPageSize(limit), ...(after === undefined ? {} : { after }) })
      const last = page.versions.at(-1)?.versionId
      return {
        versions: await describeVersions(page.versions, placements),
        has_more: page.isTruncated,
        ...(page.currentVersionId === undefined ? {} : { current_version_id: page.currentVersionId }),
        ...(page.isTruncated && last !== undefined ? { next_version_marker: last } : {}),
      }
    })

    serveEndpoint(app, restoreObjectVersion, async ({ params, body }) => {
      const { name: bucket } = requireBucket(buckets, params.name)
      const { key, version_id: versionId, expected_current_version_id: expectedCurrentVersionId } = body
      const restored = await versions.restore({ bucket, key, versionId, expectedCurrentVersionId }).catch(refuseFullCache)
      return { key, source_version_id: versionId, version_id: restored.versionId }
    })

    serveEndpoint(app, listDeletedObjects, async ({ params, query: { prefix = '', after = '', limit } }) => {
      const { name: bucket } = requireBucket(buckets, params.name)
      const { objects, isTruncated } = await versions.deletedObjects({ bucket, prefix, after, limit: readPageSize(limit) })
      const last = objects.at(-1)?.key
      return {
        objects: objects.map(({ key, markerVersionId, deletedAtMs, restorable }) => ({
          key,
          delete_marker_version_id: markerVersionId,
          deleted_at: formatTime(deletedAtMs),
          restore_version_id: restorable.versionId,
          restore_size: restorable.size,
          restore_content_type: restorable.headers.contentType,
          restore_etag: restorable.etag,
        })),
        has_more: isTruncated,
        ...(isTruncated && last !== undefined ? { next_marker: last } : {}),
      }
    })

    serveEndpoint(app, listDeletions, async ({ params, query: { limit, ...filter } }) => {
      const { name: bucket } = requireBucket(buckets, params.name)
      const { prefix, key, after } = filter
      const page = await versions.deleteMarkers({
        bucket,
        limit: readPageSize(limit),
        ...(prefix === undefined ? {} : { prefix }),
        ...(key === undefined ? {} : { key }),
        ...(after === undefined ? {} : { after }),
      })
      const last = page.markers.at(-1)?.versionId
      return {
        deletions: page.markers.map(({ key, versionId, isCurrent, createdAtMs }) => ({
          key,
          version_id: versionId,
          is_current: isCurrent,
          deleted_at: formatTime(createdAtMs),
        })),
        has_more: page.isTruncated,
        ...(page.isTruncated && last !== undefined ? { next_marker: last } : {}),
      }
    })

    serveEndpoint(app, restoreObject, async ({ params, body: { key, delete_marker_version_id: versionId } }) => {
      const { name: bucket } = requireBucket(buckets, params.name)
      const restored = await versions.restoreDeleted({ bucket, key, versionId })
      return { key, restored_version_id: restored.versionId }
    })
  },
})
