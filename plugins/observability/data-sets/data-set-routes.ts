import { clock, defineRoutes, formatTime, optional, serveEndpoint } from '#kernel'
import { observabilitySection } from '#plugins/providers'
import { type Buckets, buckets } from '#plugins/storage'
import { chainClient, isChainUnreachable } from '#plugins/wallet'
import { observabilityErrors } from '../errors.ts'
import { toPage } from '../health/health-policy.ts'
import { requirePart } from '../health/require-part.ts'
import { type DataSetPage, listDataSets, refreshDataSets } from './data-set-api.ts'
import { dataSetObservers } from './data-set-observer.ts'
import { epochClock, toRow } from './describe-data-set.ts'
import type { CheckRound } from './observation-store.ts'

type Query = (typeof listDataSets)['query']['infer']

export const dataSetRoutes = defineRoutes({
  name: 'observability-data-sets',
  uses: {
    observers: dataSetObservers,
    settings: optional(observabilitySection.settings),
    chain: optional(chainClient),
    buckets: optional(buckets),
    clock,
  },
  endpoints: [listDataSets, refreshDataSets],
  register(app, { observers: observed, settings, chain, buckets, clock }) {
    async function page(query: Query): Promise<DataSetPage> {
      const observers = requirePart(observed.found, 'replication')
      const filter = toFilter(query, buckets)
      const [rows, round] = await Promise.all([observers.list(filter), observers.lastRound()])
      const epochs = epochClock(round, (chain?.network.epochSeconds ?? 0) * 1000)
      const time = { nowMs: clock.now(), intervalMs: settings?.interval ?? 0, emptyCheckedAtMs: round?.finishedAtMs ?? null }
      const shown = toPage(
        rows.map((row) => toRow(row, { round, epochs })),
        query,
        time,
      )
      return { ...shown, ...(round && { last_refresh: describeRound(round) }) }
    }

    serveEndpoint(app, listDataSets, async ({ query }) => page(query))

    serveEndpoint(app, refreshDataSets, async ({ query }) => {
      try {
        await requirePart(observed.found, 'replication').refresh()
      } catch (error) {
        // The page shows what could not be read.
        if (!isChainUnreachable(error)) throw error
      }
      return page(query)
    })
  },
})

function toFilter({ bucket, bucket_id, provider_id: providerId }: Query, buckets: Pick<Buckets, 'find'> | undefined) {
  if (bucket !== undefined && bucket_id !== undefined) throw observabilityErrors.data_set_filter_conflict()
  const bucketId = bucket === undefined ? bucket_id : buckets?.find(bucket)?.id
  if (bucket !== undefined && bucketId === undefined) throw observabilityErrors.bucket_filter_unknown()
  return { ...(bucketId === undefined ? {} : { bucketId }), ...(providerId === undefined ? {} : { providerId }) }
}

const describeRound = ({ startedAtMs, finishedAtMs, dataSets, chainCalls, chainRequests }: CheckRound) => ({
  finished_at: formatTime(finishedAtMs),
  duration_ms: Math.max(0, finishedAtMs - startedAtMs),
  data_sets: dataSets,
  chain_calls: chainCalls,
  chain_requests: chainRequests,
})
