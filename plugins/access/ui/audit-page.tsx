import { component$ } from '@builder.io/qwik'
import {
  type ActiveFilter,
  Ago,
  Badge,
  Card,
  type Column,
  Empty,
  FilterBar,
  formatPlural,
  go,
  KeyText,
  PageHeader,
  Pager,
  SearchField,
  Select,
  setSearch,
  Table,
  type Tone,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { actionText, kindLabels, kindOf, type Line, outcomeLabels, outcomeOf, spans, startOf, subjectText } from './audit-filter-policy.ts'

export const AuditPage = component$(() => {
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
      <PageHeader
        title="Audit log"
        description="Sign-ins, refusals for safety and changes through the Admin API. Kept for 90 days; the log of the service has every line."
      />
      <Card flush>
        <AuditFilters />
        <Table
          label="Audit log"
          columns={columns}
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
      </Card>
    </>
  )
})

/** Who, what, when and with which outcome; all of it is in the address. */
const AuditFilters = component$(() => {
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

const tones: Readonly<Record<Line['outcome'], Tone>> = {
  done: 'success',
  refused: 'warning',
  failed: 'danger',
  blocked: 'danger',
  cut: 'warning',
}

const columns: readonly Column<Line>[] = [
  { id: 'at', label: 'When', title: true, cell: ({ at }) => <Ago time={at} /> },
  { id: 'who', label: 'Who', cell: ({ who }) => (who === undefined ? <span class="text-muted">Unknown</span> : <bdi>{who}</bdi>) },
  { id: 'action', label: 'Action', cell: (line) => <span class="font-mono text-xs">{actionText(line)}</span> },
  {
    id: 'outcome',
    label: 'Outcome',
    cell: ({ outcome, status }) => (
      <Badge tone={tones[outcome]} title={status === undefined ? undefined : `Status ${status}`}>
        {outcomeLabels[outcome]}
      </Badge>
    ),
  },
  {
    id: 'subject',
    label: 'Subject',
    grow: true,
    cell: ({ subject }) => {
      const text = subjectText(subject)
      return text === '' ? <span class="text-muted">—</span> : <KeyText text={text} />
    },
  },
  { id: 'client', label: 'Address', align: 'end', wide: true, cell: ({ client }) => <span class="font-mono text-xs">{client}</span> },
]
