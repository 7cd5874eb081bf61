import { component$ } from '@builder.io/qwik'
import {
  Alert,
  Card,
  formatPlural,
  HealthBadge,
  hrefOf,
  PageHeader,
  Pager,
  setSearch,
  useAddress,
  useIsEnabled,
  useParam,
  useQuery,
} from '@svc/ui-kit'
import { NoObserver } from './no-observer.tsx'
import { RiskFilters } from './risk-filters.tsx'
import { nextMarkers, noMarkers, riskQuery } from './risk-query-policy.ts'
import { RiskTable } from './risk-table.tsx'

/** Versions of a bucket with copies on data sets that are not known to be healthy. */
export const RiskPage = component$(() => {
  const name = useParam('name')
  const isObserved = useIsEnabled('observability')
  if (isObserved.value) return <ObservedRisk name={name} />
  return (
    <>
      <PageHeader title="Storage risk" crumbs={crumbsOf(name)} />
      <NoObserver />
    </>
  )
})

const crumbsOf = (name: string) => [
  { label: 'Buckets', to: '/buckets' },
  { label: name, to: hrefOf('/buckets/:name', { name }) },
  { label: 'Storage risk' },
]

const ObservedRisk = component$<{ name: string }>(({ name }) => {
  const address = useAddress()
  const search = () => new URLSearchParams(address.value.split('?')[1] ?? '')
  const affected = useQuery('GET /buckets/:name/storage-health/affected-versions', () => ({ params: { name }, query: riskQuery(search()) }))
  const bucket = useQuery('GET /buckets/:name', () => ({ params: { name } }))
  const health = bucket.data?.storage_health
  const current = search()
  const isFirst = !current.has('key_marker')
  const isFiltered = ['prefix', 'key', 'data_set'].some((member) => current.get(member))
  return (
    <>
      <PageHeader
        title="Storage risk"
        description="Versions with copies on data sets that are not known to be healthy."
        crumbs={crumbsOf(name)}
      >
        <span q:slot="badge">{health && <HealthBadge health={health} />}</span>
      </PageHeader>
      {health?.last_error !== undefined && (
        <div class="mb-4">
          <Alert tone="warning" title="The health cannot be fully observed">
            {health.last_error}
          </Alert>
        </div>
      )}
      <Card flush>
        <div class="border-b px-4 py-3">
          <RiskFilters
            dataSets={bucket.data?.data_sets}
            summary={affected.data && formatPlural(affected.data.versions.length, 'version on this page', 'versions on this page')}
          />
        </div>
        <RiskTable bucket={name} query={affected} isFiltered={isFiltered} />
        {affected.data && (!isFirst || affected.data.has_more) && (
          <Pager
            first={isFirst}
            more={nextMarkers(affected.data) !== undefined}
            pending={affected.isFetching && !affected.data}
            onFirst$={() => setSearch(noMarkers)}
            onNext$={() => {
              const next = affected.data && nextMarkers(affected.data)
              if (next) setSearch(next)
            }}
          />
        )}
      </Card>
    </>
  )
})
