import { $, component$, useSignal, useTask$ } from '@builder.io/qwik'
import { type ActiveFilter, type Answer, FilterBar, SearchField, Select, setSearch, useSearchParam } from '@svc/ui-kit'
import { noMarkers } from './risk-query-policy.ts'

type DataSets = Answer<'GET /buckets/:name'>['data_sets']
type Match = 'prefix' | 'key'

const typingMs = 300
/** A constant, because handlers are modules of their own and cannot assign to a variable of this one. */
const typing: { timer?: ReturnType<typeof setTimeout> } = {}

const labels = { prefix: 'Keys that start with', key: 'The exact key' } as const

/** A prefix or an exact key, and a data set. All of it is in the address. */
export const RiskFilters = component$<{ dataSets: DataSets | undefined; summary: string | undefined }>(({ dataSets = [], summary }) => {
  const prefix = useSearchParam('prefix')
  const key = useSearchParam('key')
  const dataSet = useSearchParam('data_set')
  const match = useSignal<Match>(key.value === '' ? 'prefix' : 'key')
  const text = useSignal('')
  useTask$(({ track }) => {
    const given = track(() => ({ key: key.value, prefix: prefix.value }))
    text.value = given.key === '' ? given.prefix : given.key
    if (given.key !== '') match.value = 'key'
  })
  // Left before the typing ended: the next page must not get this search.
  useTask$(({ cleanup }) => cleanup(() => clearTimeout(typing.timer)))
  const apply = $((wanted: Match, value: string) => {
    setSearch({ prefix: null, key: null, ...noMarkers, [wanted]: value }, { replace: true })
  })
  const options = dataSets.map(({ id, data_set_id, copy_index, provider_id }) => ({
    value: String(id),
    label: `${data_set_id === undefined ? 'Data set being created' : `Data set #${data_set_id}`}, replica ${copy_index + 1}, provider ${provider_id}`,
  }))
  return (
    <FilterBar
      active={activeFilters({ prefix: prefix.value, key: key.value, data_set: dataSet.value })}
      summary={summary}
      onRemove$={(id) => setSearch({ [id]: null, ...noMarkers })}
      onClear$={() => setSearch({ prefix: null, key: null, data_set: null, ...noMarkers })}
    >
      <span class="w-52">
        <Select
          aria-label="How the text matches"
          value={match.value}
          onValue$={(value) => {
            match.value = value as Match
            if (text.value !== '') return apply(value as Match, text.value)
          }}
          options={[
            { value: 'prefix', label: labels.prefix },
            { value: 'key', label: labels.key },
          ]}
        />
      </span>
      <SearchField
        label="Object key"
        shortcut
        value={text.value}
        onValue$={(value) => {
          text.value = value
          clearTimeout(typing.timer)
          typing.timer = setTimeout(() => apply(match.value, value), typingMs)
        }}
      />
      <span class="w-64 max-w-full">
        <Select
          aria-label="Data set"
          value={dataSet.value}
          onValue$={(value) => setSearch({ data_set: value, ...noMarkers })}
          options={[{ value: '', label: 'Every data set' }, ...options]}
        />
      </span>
    </FilterBar>
  )
})

const names = { prefix: 'Prefix', key: 'Key', data_set: 'Data set' } as const

const activeFilters = (values: Readonly<Record<keyof typeof names, string>>): readonly ActiveFilter[] =>
  (Object.keys(names) as (keyof typeof names)[]).flatMap((id) => (values[id] === '' ? [] : [{ id, label: `${names[id]}: ${values[id]}` }]))
