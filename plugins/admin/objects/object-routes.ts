import { defineRoutes, serveEndpoint } from '#kernel'
import { kernelErrors } from '#kernel/system'
import type { Placement } from '#plugins/replication'
import { type Bucket, buckets, objects } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { shownPlacements } from '../buckets/shown-placements.ts'
import { adminErrors } from '../errors.ts'
import { describeProvenance, describeStatus } from './describe-object.ts'
import { listByWork } from './list-by-work.ts'
import { describePage } from './list-page.ts'
import { listObjects, objectProvenance, objectStatusDetail } from './object-api.ts'
import { readPageSize } from './page-size-policy.ts'

export const objectRoutes = defineRoutes({
  name: 'objects',
  uses: { buckets, objects, placements: shownPlacements },
  endpoints: [listObjects, objectProvenance, objectStatusDetail],
  register(app, { buckets, objects, placements }) {
    serveEndpoint(app, listObjects, async ({ params, query }) => {
      const bucket = requireBucket(buckets, params.name)
      const { prefix = '', delimiter = '', after = '', limit, work } = query
      if (work !== undefined) {
        if (delimiter !== '') throw kernelErrors.invalid_request({ message: 'A list by state has no folders: leave out the delimiter.' })
        return await listByWork({ objects, placements }, { bucket: bucket.name, prefix, after, work, limit: readPageSize(limit) })
      }
      const page = await objects.list({
        bucket: bucket.name,
        prefix,
        delimiter,
        limit: readPageSize(limit),
        after: delimiter === '' ? after : startInFolder(prefix, after),
      })
      return await describePage(page, { objects, placements })
    })

    serveEndpoint(app, objectProvenance, async ({ params, query: { version_id } }) =>
      describeProvenance(version_id, await requirePlacement(requireBucket(buckets, params.name), version_id)),
    )

    serveEndpoint(app, objectStatusDetail, async ({ params, query: { version_id } }) =>
      describeStatus(version_id, await requirePlacement(requireBucket(buckets, params.name), version_id)),
    )

    async function requirePlacement(bucket: Bucket, versionId: string): Promise<Placement> {
      const placement = await placements.ofVersion(bucket.id, versionId)
      if (!placement) throw adminErrors.version_not_found({ message: `The bucket ${bucket.name} has no such version.` })
      return placement
    }
  },
})

/** Skips the folder placeholder. Keys are in byte order. */
function startInFolder(folder: string, after: string): string {
  return folder.endsWith('/') && Buffer.compare(Buffer.from(after), Buffer.from(folder)) < 0 ? folder : after
}
