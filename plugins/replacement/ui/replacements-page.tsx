import { component$ } from '@builder.io/qwik'
import {
  Card,
  Empty,
  FilterBar,
  formatPlural,
  go,
  LinkButton,
  PageHeader,
  Pager,
  Select,
  setSearch,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { ReplacementTable } from './replacement-table.tsx'
import { readId, readStatus, statuses, statusLabels } from './words-policy.ts'

/** All replacements, newest first. Filter and cursor are in the address. */
export const ReplacementsPage = component$(() => {
  const asked = useSearchParam('status')
  const cursor = useSearchParam('cursor')
  const found = useQuery('GET /storage-replacements', () => ({
    query: { status: readStatus(asked.value), cursor: readId(cursor.value) },
  }))
  const status = readStatus(asked.value)
  const next = found.data?.next_cursor
  return (
    <>
      <PageHeader
        title="Replacements"
        description="A replacement moves one replica of a bucket to another provider: it creates a paid service there, copies the contents and ends the old service."
      />
      <Card flush>
        <div class="border-b px-4 py-3">
          <FilterBar
            active={status === undefined ? [] : [{ id: 'status', label: `Status: ${statusLabels[status]}` }]}
            onRemove$={() => setSearch({ status: null, cursor: null })}
            onClear$={() => go('/replacements')}
          >
            <span class="w-52">
              <Select
                aria-label="Status"
                value={status ?? ''}
                onValue$={(value) => setSearch({ status: value, cursor: null })}
                options={[{ value: '', label: 'Every status' }, ...statuses.map((value) => ({ value, label: statusLabels[value] }))]}
              />
            </span>
          </FilterBar>
        </div>
        <ReplacementTable rows={found.data?.replacements} error={found.error?.message}>
          <div q:slot="empty">
            {status === undefined ? (
              <Empty
                icon="replace"
                title="No replacements yet"
                text="Open the tab Replacements of a bucket to move one of its replicas to another provider."
              >
                <LinkButton href="/buckets">Open the buckets</LinkButton>
              </Empty>
            ) : (
              <Empty icon="list-filter" title="No replacement matches" text="No replacement has this status.">
                <LinkButton href="/replacements">Show all replacements</LinkButton>
              </Empty>
            )}
          </div>
        </ReplacementTable>
        {(next !== undefined || cursor.value !== '') && (
          <Pager
            first={cursor.value === ''}
            more={next !== undefined}
            pending={found.isFetching && !found.data}
            summary={found.data && `${formatPlural(found.data.replacements.length, 'replacement')} on this page`}
            onFirst$={() => setSearch({ cursor: null })}
            onNext$={() => setSearch({ cursor: String(found.data?.next_cursor ?? '') })}
          />
        )}
      </Card>
    </>
  )
})
