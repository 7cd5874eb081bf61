import { $, component$ } from '@builder.io/qwik'
import {
  type ActiveFilter,
  Alert,
  Button,
  Card,
  ErrorAlert,
  FilterBar,
  formatCount,
  PageHeader,
  SkeletonLines,
  setSearch,
  useAddress,
} from '@svc/ui-kit'
import { activeFilters, PlaceFilters } from '../data-sets/data-set-filters.tsx'
import { HealthSummary } from '../health/health-summary.tsx'
import { StatusSelect } from '../health/status-select.tsx'
import { isPartial, readFilter, setsMax } from './describe-topology.ts'
import { TopologyMap } from './topology-map.tsx'
import { useTopology } from './use-topology.ts'

/** All buckets, the data sets of their replica slots, and the providers of these, in one picture. */
export const TopologyPage = component$(() => {
  const address = useAddress()
  const filter = () => readFilter(new URLSearchParams(address.value.split('?')[1] ?? ''))
  const { buckets, sets, providers } = useTopology(filter)
  const refresh = $(async () => {
    await Promise.all([buckets.refresh(), sets.refresh(), providers.refresh()])
  })
  const error = buckets.error ?? sets.error ?? providers.error
  const chosen = filter()
  const active: readonly ActiveFilter[] = activeFilters({
    bucket: chosen.bucket ?? '',
    provider: chosen.provider ?? '',
    status: chosen.status ?? '',
    current: '',
  })
  return (
    <>
      <PageHeader
        title="Topology"
        description="Which replica slots of which buckets are at which provider. Choose a node to see its details."
      >
        <Button q:slot="actions" icon="refresh-cw" pending={sets.isFetching && sets.data !== undefined} onClick$={refresh}>
          Read again
        </Button>
      </PageHeader>
      <Card flush>
        <div class="flex flex-col gap-3 border-b px-4 py-3">
          <FilterBar
            active={active}
            onRemove$={(id) => setSearch({ [id]: null })}
            onClear$={() => setSearch({ bucket: null, provider: null, status: null })}
          >
            <PlaceFilters />
            <StatusSelect />
          </FilterBar>
          {sets.data && <HealthSummary page={sets.data} />}
        </div>
        <div class="flex flex-col gap-4 px-4 py-4">
          <ErrorAlert error={error} onRetry$={refresh} />
          {sets.data && isPartial(sets.data) && (
            <Alert tone="info" title={`The first ${setsMax} of ${formatCount(sets.data.total)} data sets`}>
              Filter by bucket, provider or state to see the others.
            </Alert>
          )}
          {!error && !(buckets.data && sets.data) && <SkeletonLines lines={8} label="Loading the topology" />}
          {buckets.data && sets.data && (
            <TopologyMap
              buckets={buckets.data}
              sets={sets.data.items}
              providers={providers.data?.items ?? []}
              filter={{ ...chosen, isPartial: isPartial(sets.data) }}
            />
          )}
        </div>
      </Card>
    </>
  )
})
