import { component$ } from '@builder.io/qwik'
import { healthWords, Select, setSearch, useSearchParam } from '@svc/ui-kit'
import { readStatus } from './list-query-policy.ts'

/** The filter by health, which is in the address. */
export const StatusSelect = component$(() => {
  const status = useSearchParam('status')
  return (
    <span class="w-40">
      <Select
        aria-label="State"
        value={readStatus(status.value) ?? ''}
        onValue$={(value) => setSearch({ status: value, offset: null })}
        options={[{ value: '', label: 'Every state' }, ...Object.entries(healthWords).map(([value, label]) => ({ value, label }))]}
      />
    </span>
  )
})
