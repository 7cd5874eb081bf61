import { clock, defineRoutes, log, optional, serveEndpoint } from '#kernel'
import { contributions, formatPreciseTime } from '#kernel/system'
import { observabilitySection, providerFacts } from '#plugins/providers'
import type { DependentVersion } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { describePlace } from '../buckets/describe-bucket.ts'
import { observeWith } from '../buckets/observe-data-sets.ts'
import { requireBucket } from '../buckets/require-bucket.ts'
import { showProviderWith } from '../buckets/show-provider.ts'
import { shownPlacements } from '../buckets/shown-placements.ts'
import { atRisk } from '../buckets/storage-health-policy.ts'
import { readAffectedQuery } from './affected-query-policy.ts'
import { attentionOf } from './object-status-policy.ts'
import { type AffectedVersions, listAffectedVersions } from './version-api.ts'

/** An observation is stale when it is older than this many intervals of the checks. */
const staleIntervals = 2
const intervalDefaultMs = 5 * 60_000

/** Versions with copies on data sets that are not known to be healthy. Without the observations of a plugin that is every stored version. */
export const affectedVersionRoutes = defineRoutes({
  name: 'affected-versions',
  uses: {
    buckets,
    placements: shownPlacements,
    providerFacts: optional(providerFacts),
    observability: optional(observabilitySection.settings),
    contributions,
    clock,
    log,
  },
  endpoints: [listAffectedVersions],
  register(app, { buckets, placements, clock, observability, ...deps }) {
    const freshMs = staleIntervals * (observability?.interval ?? intervalDefaultMs)
    const observe = observeWith(deps)
    const showProvider = showProviderWith(deps)

    serveEndpoint(app, listAffectedVersions, async ({ params, query }) => {
      const { id } = requireBucket(buckets, params.name)
      const { dataSetId, staleBeforeMs, ...filter } = readAffectedQuery(query, { nowMs: clock.now(), freshMs })
      const asked = (await placements.dataSetsOf([id])).filter((record) => dataSetId === undefined || record.id === dataSetId)
      const observations = await observe(asked, staleBeforeMs)
      const risks = new Map(
        atRisk(asked, observations).map((record): [number, Risk] => {
          const place = describePlace(record, { observations, showProvider })
          return [record.id, { local_data_set_id: record.id, ...place, local_status: record.status }]
        }),
      )
      const page = await placements.versionsOn({ bucketId: id, dataSetIds: [...risks.keys()], ...filter })
      const situations = await placements.ofContents(page.versions.map(({ contentId }) => contentId))
      const last = page.versions.at(-1)
      return {
        versions: page.versions.map((dependent) => {
          const situation = situations.get(dependent.contentId)
          const affected = { ...describeAffected(dependent, risks), ...(situation && attentionOf(situation)) }
          return { ...affected, state: situation?.state ?? 'failed', in_cache: situation?.isCached ?? false }
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
type Risk = Affected['risk_data_sets'][number]

function describeAffected(
  { dataSetIds, otherReadableCopies, ...version }: DependentVersion,
  risks: ReadonlyMap<number, Risk>,
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
    risk_data_sets: dataSetIds.flatMap((id) => risks.get(id) ?? []),
  }
}
