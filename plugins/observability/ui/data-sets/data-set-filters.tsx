import { component$ } from '@builder.io/qwik'
import { type ActiveFilter, FilterBar, healthWords, Select, setSearch, useQuery, useSearchParam } from '@svc/ui-kit'
import { readId, readStatus, readSwitch } from '../health/list-query-policy.ts'
import { StatusSelect } from '../health/status-select.tsx'
import { nameOf, usedProviders } from '../providers/describe-provider.ts'

const generations = { true: 'Present generations', false: 'Earlier generations' } as const

/** Bucket and provider of a list of data sets, also of the topology. Both are in the address. */
export const PlaceFilters = component$(() => {
  const bucket = useSearchParam('bucket')
  const provider = useSearchParam('provider')
  const buckets = useQuery('GET /buckets')
  const providers = useQuery('GET /observability/providers', () => usedProviders)
  return (
    <>
      <span class="w-48 max-w-full">
        <Select
          aria-label="Bucket"
          value={bucket.value}
          onValue$={(value) => setSearch({ bucket: value, offset: null })}
          options={withChosen(
            [{ value: '', label: 'Every bucket' }, ...(buckets.data ?? []).map(({ name }) => ({ value: name, label: name }))],
            bucket.value,
          )}
        />
      </span>
      <span class="w-52 max-w-full">
        <Select
          aria-label="Provider"
          value={provider.value}
          onValue$={(value) => setSearch({ provider: value, offset: null })}
          options={withChosen(
            [
              { value: '', label: 'Every provider' },
              ...(providers.data?.items ?? []).map((one) => ({
                value: one.facts.provider_id,
                label: `${nameOf(one)} #${one.facts.provider_id}`,
              })),
            ],
            provider.value,
          )}
        />
      </span>
    </>
  )
})

interface Option {
  readonly value: string
  readonly label: string
}

/** The choice of a link, also while the list is loading or does not have it. */
const withChosen = (options: readonly Option[], chosen: string): readonly Option[] =>
  options.some(({ value }) => value === chosen) ? options : [...options, { value: chosen, label: chosen }]

/** All filters of the list. */
export const DataSetFilters = component$(() => {
  const bucket = useSearchParam('bucket')
  const provider = useSearchParam('provider')
  const status = useSearchParam('status')
  const current = useSearchParam('current')
  const values = { bucket: bucket.value, provider: provider.value, status: status.value, current: current.value }
  return (
    <FilterBar
      active={activeFilters(values)}
      onRemove$={(id) => setSearch({ [id]: null, offset: null })}
      onClear$={() => setSearch({ bucket: null, provider: null, status: null, current: null, offset: null })}
    >
      <PlaceFilters />
      <StatusSelect />
      <span class="w-48">
        <Select
          aria-label="Generation"
          value={readSwitch(current.value) ?? ''}
          onValue$={(value) => setSearch({ current: value, offset: null })}
          options={[{ value: '', label: 'Every generation' }, ...Object.entries(generations).map(([value, label]) => ({ value, label }))]}
        />
      </span>
    </FilterBar>
  )
})

export function activeFilters(values: Readonly<Record<'bucket' | 'provider' | 'status' | 'current', string>>): readonly ActiveFilter[] {
  const status = readStatus(values.status)
  const current = readSwitch(values.current)
  return [
    ...(values.bucket === '' ? [] : [{ id: 'bucket', label: `Bucket: ${values.bucket}` }]),
    ...(readId(values.provider) === undefined ? [] : [{ id: 'provider', label: `Provider: ${values.provider}` }]),
    ...(status ? [{ id: 'status', label: `State: ${healthWords[status].toLowerCase()}` }] : []),
    ...(current ? [{ id: 'current', label: generations[current] }] : []),
  ]
}
