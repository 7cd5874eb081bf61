import { component$ } from '@builder.io/qwik'
import { Badge, Card, Empty, formatPlural, LinkButton, Money, PageHeader, Pager, setSearch, useQuery, useSearchParam } from '@svc/ui-kit'
import { RepairTable } from './repair-table.tsx'
import { readCursor } from './repair-words-policy.ts'

/** Decisions of the automatic repair and losses, newest first. The cursor is in the address. */
export const RepairsPage = component$(() => {
  const before = useSearchParam('before')
  const found = useQuery('GET /storage-repairs', () => ({ query: { before: readCursor(before.value) } }))
  const list = found.data
  return (
    <>
      <PageHeader
        title="Repairs"
        description="Faults of replicas that lasted, what was decided about each, and contents that are lost. Single lost pieces are stored again without a decision."
      >
        {list && (
          <span q:slot="badge">
            {/* Qwik may read it again after another page has emptied the answer. */}
            <Badge tone={list?.auto ? 'success' : 'neutral'}>{list?.auto ? 'Automatic repair is on' : 'Automatic repair is off'}</Badge>
          </span>
        )}
        <LinkButton q:slot="actions" href="/settings" icon="settings">
          Settings
        </LinkButton>
      </PageHeader>
      <Card flush>
        {list && (
          <p class="border-b px-4 py-3 text-sm text-muted">
            Estimated fees of repairs today: <Money value={list.spent_today} price />
            {list.daily_spend_limit === null ? ', without a limit of their own.' : ' of '}
            {list.daily_spend_limit !== null && (
              <>
                <Money value={list.daily_spend_limit} />.
              </>
            )}
          </p>
        )}
        <RepairTable rows={list?.repairs} error={found.error?.message}>
          <Empty
            q:slot="empty"
            icon="heart-pulse"
            title="No decisions"
            text="No replica had a fault that lasted, and no content is known to be lost."
          />
        </RepairTable>
        {(list?.next !== undefined || before.value !== '') && (
          <Pager
            first={before.value === ''}
            more={list?.next !== undefined}
            pending={found.isFetching && !list}
            summary={list && `${formatPlural(list.repairs.length, 'decision')} on this page`}
            onFirst$={() => setSearch({ before: null })}
            onNext$={() => setSearch({ before: String(found.data?.next ?? '') })}
          />
        )}
      </Card>
    </>
  )
})
