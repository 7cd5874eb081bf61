import { component$ } from '@builder.io/qwik'
import { type ActiveFilter, FilterBar, go, SearchField, Select, setSearch, useSearchParam } from '@svc/ui-kit'
import { kindLabels, kindOf, type Line, outcomeLabels, outcomeOf, spans } from './audit-filter-policy.ts'

/** Who, what, when and with which outcome; all of it is in the address. */
export const AuditFilters = component$(() => {
  const what = useSearchParam('what')
  const outcome = useSearchParam('outcome')
  const who = useSearchParam('who')
  const span = useSearchParam('span')
  const filters: readonly ActiveFilter[] = [
    ...(kindOf(what.value) ? [{ id: 'what', label: `What: ${kindLabels[what.value as Line['what']]}` }] : []),
    ...(outcomeOf(outcome.value) ? [{ id: 'outcome', label: `Outcome: ${outcomeLabels[outcome.value as Line['outcome']]}` }] : []),
    ...(who.value === '' ? [] : [{ id: 'who', label: `Who: ${who.value}` }]),
  ]
  return (
    <div class="border-b px-4 py-3">
      <FilterBar active={filters} onRemove$={(id: string) => setSearch({ [id]: null, cursor: null })} onClear$={() => go('/audit')}>
        <span class="w-44">
          <Select
            aria-label="What"
            value={kindOf(what.value) ?? ''}
            onValue$={(value: string) => setSearch({ what: value, cursor: null })}
            options={[{ value: '', label: 'Every kind' }, ...toOptions(kindLabels)]}
          />
        </span>
        <span class="w-40">
          <Select
            aria-label="Outcome"
            value={outcomeOf(outcome.value) ?? ''}
            onValue$={(value: string) => setSearch({ outcome: value, cursor: null })}
            options={[{ value: '', label: 'Every outcome' }, ...toOptions(outcomeLabels)]}
          />
        </span>
        <span class="w-40">
          <Select
            aria-label="When"
            value={span.value}
            onValue$={(value: string) => setSearch({ span: value, cursor: null })}
            options={spans.map(({ value, label }) => ({ value, label }))}
          />
        </span>
        <span class="w-52">
          <SearchField
            label="User name"
            placeholder="User name, exact"
            value={who.value}
            onValue$={(text: string) => setSearch({ who: text, cursor: null }, { replace: true })}
          />
        </span>
      </FilterBar>
    </div>
  )
})

const toOptions = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
