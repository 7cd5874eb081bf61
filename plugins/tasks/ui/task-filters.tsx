import { component$ } from '@builder.io/qwik'
import { type ActiveFilter, FilterBar, formatCount, go, Select, setSearch, TabLinks, useAddress, useSearchParam } from '@svc/ui-kit'
import { type Flow, openOf } from './task-flow-policy.ts'
import { changeSearch } from './task-link-policy.ts'
import { filterLabels, filterStatuses, readStatus } from './task-status-policy.ts'

/** Tabs of types with their open tasks and failures, and the filter by status. */
export const TaskFilters = component$<{ flows: readonly Flow[] | undefined }>(({ flows = [] }) => {
  const address = useAddress()
  const type = useSearchParam('type')
  const status = useSearchParam('status')
  const to = (wanted: string | undefined) => changeSearch(address.value, { type: wanted, cursor: undefined, task: undefined })
  const chosen = flows.find((flow) => flow.type === type.value)
  const tabs = [
    { id: '', label: 'All types', to: to(undefined) },
    ...flows.map((flow) => ({ ...toTab(flow), to: to(flow.type) })),
    // The type of a link, while the service has no task of it.
    ...(type.value === '' || chosen ? [] : [{ id: type.value, label: type.value, to: to(type.value) }]),
  ]
  const shown = readStatus(status.value)
  return (
    <div class="flex min-w-0 flex-col">
      <div class="relative grid min-w-0 overflow-hidden pt-1 *:px-2">
        <TabLinks label="Task types" tabs={tabs} current={type.value} />
      </div>
      <div class="border-b px-4 py-3">
        <FilterBar
          active={activeFilters(chosen?.operation ?? type.value, shown && filterLabels[shown])}
          onRemove$={(id) => setSearch({ [id]: null, cursor: null })}
          onClear$={() => go('/tasks')}
        >
          <span class="w-44">
            <Select
              aria-label="Status"
              value={shown ?? ''}
              onValue$={(value) => setSearch({ status: value, cursor: null })}
              options={[{ value: '', label: 'Every status' }, ...filterStatuses.map((value) => ({ value, label: filterLabels[value] }))]}
            />
          </span>
        </FilterBar>
      </div>
    </div>
  )
})

const toTab = (flow: Flow) => ({
  id: flow.type,
  label: flow.operation,
  count: openOf(flow) > 0 ? formatCount(openOf(flow)) : undefined,
  problem: flow.failed > 0 ? `${formatCount(flow.failed)} failed` : undefined,
})

const activeFilters = (type: string, status: string | undefined): readonly ActiveFilter[] => [
  ...(type === '' ? [] : [{ id: 'type', label: `Type: ${type}` }]),
  ...(status === undefined ? [] : [{ id: 'status', label: `Status: ${status}` }]),
]
