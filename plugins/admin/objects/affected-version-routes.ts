import { clock, defineRoutes, formatPreciseTime, serveEndpoint } from '#kernel'
import { type DataSetRecord, type DependentVersion, placements } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { judgeDataSet } from '../buckets/storage-health-policy.ts'
import { readAffectedQuery } from './affected-query-policy.ts'
import { type AffectedVersions, listAffectedVersions } from './version-api.ts'

/** Versions with copies on data sets that are not known to be healthy. Without observations of the chain that is every stored version. */
export const affectedVersionRoutes = defineRoutes({
  name: 'affected-versions',
  uses: { buckets, placements, clock },
  endpoints: [listAffectedVersions],
  register(app, { buckets, placements, clock }) {
    serveEndpoint(app, listAffectedVersions, async ({ params, query }) => {
      const { id } = requireBucket(buckets, params.name)
      const { dataSetId, staleBeforeMs, ...filter } = readAffectedQuery(query, clock.now())
      const atRisk = new Map(
        placements.dataSetsOf(id).flatMap((record) => (dataSetId === undefined || record.id === dataSetId ? [[record.id, record]] : [])),
      )
      const page = placements.versionsOn({ bucketId: id, dataSetIds: [...atRisk.keys()], ...filter })
      const situations = placements.ofContents(page.versions.map(({ contentId }) => contentId))
      const last = page.versions.at(-1)
      return {
        versions: page.versions.map((dependent) => {
          const situation = situations.get(dependent.contentId)
          return { ...describeAffected(dependent, atRisk), state: situation?.state ?? 'failed', in_cache: situation?.isCached ?? false }
        }),
        has_more: page.isTruncated,
        ...(page.isTruncated && last
          ? {
              next_key_marker: last.key,
              next_version_marker: last.versionId,
              next_created_at_marker: formatPreciseTime(last.createdAtMs),
            }
          : {}),
        stale_before: formatPreciseTime(staleBeforeMs),
      }
    })
  },
})

type Affected = AffectedVersions['versions'][number]

function describeAffected(
  { dataSetIds, otherReadableCopies, ...version }: DependentVersion,
  atRisk: ReadonlyMap<number, DataSetRecord>,
): Omit<Affected, 'state' | 'in_cache'> {
  const at = formatPreciseTime(version.createdAtMs)
  return {
    key: version.key,
    version_id: version.versionId,
    size: version.size,
    is_current: version.isCurrent,
    content_type: version.contentType,
    etag: version.etag,
    created_at: at,
    updated_at: at,
    readable_alternative_count: otherReadableCopies,
    has_readable_alternative: otherReadableCopies > 0,
    risk_data_sets: dataSetIds.flatMap((id) => {
      const record = atRisk.get(id)
      return record ? [describeRisk(record)] : []
    }),
  }
}

function describeRisk(record: DataSetRecord): Affected['risk_data_sets'][number] {
  return {
    local_data_set_id: record.id,
    bucket_id: record.bucketId,
    copy_index: record.copyIndex,
    provider_id: record.providerId,
    provider_identity: { registry_provider_id: record.providerId, service_url: record.serviceUrl },
    ...(record.dataSetId === null ? {} : { data_set_id: record.dataSetId }),
    ...(record.clientDataSetId === null ? {} : { client_data_set_id: record.clientDataSetId }),
    local_status: record.status,
    storage_health: judgeDataSet(record),
  }
}
