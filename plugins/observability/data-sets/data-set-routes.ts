import { clock, defineRoutes, formatTime, optional, serveEndpoint } from '#kernel'
import { observabilitySection, providers } from '#plugins/providers'
import { type Buckets, buckets } from '#plugins/storage'
import { chainClient, isChainUnreachable } from '#plugins/wallet'
import { observabilityErrors } from '../errors.ts'
import { toPage } from '../health/health-policy.ts'
import { requirePart } from '../health/require-part.ts'
import { type DataSetPage, listDataSets, refreshDataSets } from './data-set-api.ts'
import { type DataSetObservers, dataSetObservers } from './data-set-observer.ts'
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
    providers: optional(providers),
    clock,
  },
  endpoints: [listDataSets, refreshDataSets],
  register(app, { observers: observed, settings, chain, buckets, providers, clock }) {
    async function page(query: Query): Promise<DataSetPage> {
      const observers = requirePart(observed.found, 'replication')
      const filter = toFilter(query, buckets)
      const [rows, round] = await Promise.all([observers.list(filter), observers.lastRound()])
      const epochMs = (chain?.network.epochSeconds ?? 0) * 1000
      const epochs = epochClock(round, epochMs)
      const isWanted = ({ isCurrent }: { readonly isCurrent: boolean }) =>
        query.current === undefined || (query.current === 'true') === isCurrent
      const time = { nowMs: clock.now(), intervalMs: settings?.interval ?? 0, emptyCheckedAtMs: round?.finishedAtMs ?? null }
      const shown = toPage(
        rows
          .filter(({ facts }) => isWanted(facts))
          .map((row) => toRow(row, { round, epochs, name: providers?.nameOf(row.facts.providerId) })),
        query.history === 'true' ? { ...query, limit: Math.min(query.limit || historyRowsMax, historyRowsMax) } : query,
        time,
      )
      if (query.history === 'true' && round && epochMs > 0)
        await addDays(observers, shown.items, { epoch: round.epoch, dayEpochs: Math.round(dayMs / epochMs) })
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

const dayMs = 24 * 3_600_000
/** A history is up to 1,000 rows. */
const historyRowsMax = 50

async function addDays(observers: DataSetObservers, items: DataSetPage['items'], of: Parameters<DataSetObservers['historyByDay']>[1]) {
  for (const { facts } of items) {
    if (!facts.proving) continue
    const days = await observers.historyByDay(facts.local_data_set_id, of)
    facts.proving.days = days.map(({ daysAgo, periods, proven }) => ({ days_ago: daysAgo, periods, proven }))
  }
}

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
