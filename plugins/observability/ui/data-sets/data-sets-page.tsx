import { component$ } from '@builder.io/qwik'
import {
  Button,
  Card,
  call,
  ErrorAlert,
  formatDuration,
  formatPlural,
  invalidate,
  PageHeader,
  Progress,
  useAction$,
  useAddress,
  useQuery,
} from '@svc/ui-kit'
import { HealthSummary } from '../health/health-summary.tsx'
import { ListPager } from '../health/list-pager.tsx'
import { DataSetFilters } from './data-set-filters.tsx'
import { DataSetSheet } from './data-set-sheet.tsx'
import { DataSetTable } from './data-set-table.tsx'
import { dataSetsQuery } from './describe-data-set.ts'

/** The data sets of all buckets with what the chain says about them. */
export const DataSetsPage = component$(() => {
  const address = useAddress()
  const search = () => new URLSearchParams(address.value.split('?')[1] ?? '')
  const sets = useQuery('GET /observability/data-sets', () => ({ query: dataSetsQuery(search()) }))
  const refresh = useAction$(async () => {
    await call('POST /observability/data-sets/refresh', { query: { limit: '1' } })
    invalidate(['GET /observability/data-sets', 'GET /observability/providers', 'GET /overview', 'GET /buckets', 'GET /buckets/:name'])
  })
  const isFiltered = ['bucket', 'provider', 'status', 'current'].some((name) => search().get(name))
  const round = sets.data?.last_refresh
  return (
    <>
      <PageHeader
        title="Data sets"
        description="The paid sets of pieces at providers, what the chain says about them, and whether they are proven."
      >
        <Button
          q:slot="actions"
          icon="refresh-cw"
          changes="POST /observability/data-sets/refresh"
          pending={refresh.isPending}
          pendingLabel="Reading the chain"
          onClick$={() => refresh.run()}
        >
          Refresh
        </Button>
      </PageHeader>
      <ErrorAlert error={refresh.error} title="The data sets could not be refreshed" class="mb-4" />
      <Card flush>
        <div class="flex flex-col gap-3 border-b px-4 py-3">
          <DataSetFilters />
          {refresh.isPending && <Progress label="Refresh of the data sets" text="Reads the state of all data sets on chain" />}
          {sets.data && !refresh.isPending && (
            <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
              <HealthSummary page={sets.data} />
              {round && (
                <span class="text-xs text-muted">
                  Last check: {formatPlural(round.data_sets, 'data set')} with {formatPlural(round.chain_requests, 'request')} in{' '}
                  {formatDuration(round.duration_ms / 1000)}
                </span>
              )}
            </div>
          )}
        </div>
        <DataSetTable query={sets} isFiltered={isFiltered} />
        {sets.data && <ListPager page={sets.data} noun="data sets" />}
      </Card>
      <DataSetSheet page={sets.data} />
    </>
  )
})
