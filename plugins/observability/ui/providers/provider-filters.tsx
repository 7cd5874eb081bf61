import { $, component$, useSignal, useTask$ } from '@builder.io/qwik'
import { type ActiveFilter, FilterBar, healthWords, SearchField, Select, setSearch, useSearchParam } from '@svc/ui-kit'
import { readStatus, readSwitch } from '../health/list-query-policy.ts'
import { StatusSelect } from '../health/status-select.tsx'

const typingMs = 300
/** A constant, because handlers are modules of their own and cannot assign to a variable of this one. */
const typing: { timer?: ReturnType<typeof setTimeout> } = {}

const useWords = { true: 'With our data sets', false: 'Without our data sets' } as const

/** Text, state and use. All of it is in the address. */
export const ProviderFilters = component$(() => {
  const search = useSearchParam('search')
  const status = useSearchParam('status')
  const used = useSearchParam('used')
  const text = useSignal('')
  useTask$(({ track }) => {
    text.value = track(() => search.value)
  })
  // Left before the typing ended: the next page must not get this search.
  useTask$(({ cleanup }) => cleanup(() => clearTimeout(typing.timer)))
  const apply = $((value: string) => setSearch({ search: value, offset: null }, { replace: true }))
  return (
    <FilterBar
      active={activeFilters({ search: search.value, status: status.value, used: used.value })}
      onRemove$={(id) => setSearch({ [id]: null, offset: null })}
      onClear$={() => setSearch({ search: null, status: null, used: null, offset: null })}
    >
      <SearchField
        label="Name, id, place or URL"
        shortcut
        value={text.value}
        onValue$={(value) => {
          text.value = value
          clearTimeout(typing.timer)
          typing.timer = setTimeout(() => apply(value), typingMs)
        }}
      />
      <StatusSelect />
      <span class="w-52">
        <Select
          aria-label="Use"
          value={readSwitch(used.value) ?? ''}
          onValue$={(value) => setSearch({ used: value, offset: null })}
          options={[{ value: '', label: 'Used or not' }, ...Object.entries(useWords).map(([value, label]) => ({ value, label }))]}
        />
      </span>
    </FilterBar>
  )
})

function activeFilters(values: { readonly search: string; readonly status: string; readonly used: string }): readonly ActiveFilter[] {
  const status = readStatus(values.status)
  const used = readSwitch(values.used)
  return [
    ...(values.search === '' ? [] : [{ id: 'search', label: `Text: ${values.search}` }]),
    ...(status ? [{ id: 'status', label: `State: ${healthWords[status].toLowerCase()}` }] : []),
    ...(used ? [{ id: 'used', label: useWords[used] }] : []),
  ]
}
