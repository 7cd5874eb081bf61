import { component$ } from '@builder.io/qwik'
import { Card, Empty, formatPlural, PageHeader, Pager, setSearch, Table, useQuery, useRefusal, useSearchParam } from '@svc/ui-kit'
import { auditColumns } from './audit-columns.tsx'
import { kindOf, type Line, outcomeOf, startOf } from './audit-filter-policy.ts'
import { AuditFilters } from './audit-filters.tsx'

export const AuditPage = component$(() => {
  const refused = useRefusal()('GET /audit')
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Sign-ins, refusals for safety and changes through the Admin API. Kept for 90 days; the log of the service has every line."
      />
      <Card flush>{refused ? <Empty icon="lock" title="The audit log is for admins" text={refused} /> : <AuditLines />}</Card>
    </>
  )
})

const AuditLines = component$(() => {
  const what = useSearchParam('what')
  const outcome = useSearchParam('outcome')
  const who = useSearchParam('who')
  const span = useSearchParam('span')
  const cursor = useSearchParam('cursor')
  const audit = useQuery('GET /audit', () => ({
    query: {
      what: kindOf(what.value),
      outcome: outcomeOf(outcome.value),
      who: who.value === '' ? undefined : who.value,
      from: startOf(span.value, Date.now()),
      cursor: /^\d{1,15}$/.test(cursor.value) ? cursor.value : undefined,
    },
  }))
  const next = audit.data?.next_cursor
  return (
    <>
      <AuditFilters />
      <Table
        label="Audit log"
        columns={auditColumns}
        rows={audit.data?.lines}
        rowKey={({ id }: Line) => String(id)}
        error={audit.error?.message}
        onRetry$={audit.refresh}
        skeletonRows={8}
      >
        <div q:slot="empty">
          <Empty icon="scroll-text" title="No line matches" text="Nothing of this kind was recorded." />
        </div>
      </Table>
      {(next !== undefined || cursor.value !== '') && (
        <Pager
          first={cursor.value === ''}
          more={next !== undefined}
          pending={audit.isFetching && !audit.data}
          summary={audit.data && `${formatPlural(audit.data.lines.length, 'line')} on this page`}
          onFirst$={() => setSearch({ cursor: null })}
          onNext$={() => setSearch({ cursor: String(audit.data?.next_cursor ?? '') })}
        />
      )}
    </>
  )
})
