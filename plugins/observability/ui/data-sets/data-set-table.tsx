import { component$ } from '@builder.io/qwik'
import { Ago, Badge, type Column, Empty, Link, LinkButton, type Query, setSearch, showHidden, Table, toneText } from '@svc/ui-kit'
import {
  chainLook,
  type DataSet,
  type DataSetPage,
  nameOfProvider,
  nameOfSet,
  piecesText,
  provingLook,
  slotText,
} from './describe-data-set.ts'
import { ProvingStrip } from './proving-strip.tsx'
import { SetState } from './set-state.tsx'

interface DataSetTableProps {
  query: Query<DataSetPage>
  isFiltered: boolean
}

export const DataSetTable = component$<DataSetTableProps>(({ query, isFiltered }) => (
  <Table
    label="Data sets"
    columns={columns}
    rows={query.data?.items}
    rowKey={({ facts }: DataSet) => String(facts.local_data_set_id)}
    error={query.error?.message}
    onRetry$={query.refresh}
    skeletonRows={8}
  >
    <div q:slot="empty">
      {isFiltered ? (
        <Empty icon="list-filter" title="No data set matches" text="No data set has this bucket, provider, state and generation.">
          <LinkButton href="/data-sets">Show all data sets</LinkButton>
        </Empty>
      ) : (
        <Empty icon="layers" title="No data sets yet" text="The first upload into a bucket opens its data sets.">
          <LinkButton href="/buckets">Open the buckets</LinkButton>
        </Empty>
      )}
    </div>
  </Table>
))

const columns: readonly Column<DataSet>[] = [
  {
    id: 'set',
    label: 'Data set',
    title: true,
    cell: ({ facts }) => (
      <button
        type="button"
        class="rounded-sm font-medium hover:underline"
        onClick$={() => setSearch({ set: String(facts.local_data_set_id) })}
      >
        {nameOfSet(facts)}
      </button>
    ),
  },
  {
    id: 'bucket',
    label: 'Bucket',
    cell: ({ facts }) => (
      <span class="inline-flex max-w-full items-baseline gap-1.5">
        <Link to="/buckets/:name" params={{ name: facts.bucket_name }} class="truncate hover:underline">
          {showHidden(facts.bucket_name)}
        </Link>
        <span class="text-xs text-muted">{slotText(facts)}</span>
      </span>
    ),
  },
  {
    id: 'provider',
    label: 'Provider',
    cell: (set) => (
      <Link to="/providers/:id" params={{ id: set.facts.provider_id }} class="hover:underline">
        <bdi>{showHidden(nameOfProvider(set))}</bdi>
      </Link>
    ),
  },
  { id: 'state', label: 'State', grow: true, cell: (set) => <SetState set={set} /> },
  {
    id: 'chain',
    label: 'On chain',
    wide: true,
    cell: ({ facts }) => {
      const { tone, word } = chainLook(facts)
      return <Badge tone={tone}>{word}</Badge>
    },
  },
  { id: 'pieces', label: 'Pieces', align: 'end', cell: ({ facts }) => <Pieces facts={facts} /> },
  { id: 'proof', label: 'Last proof', align: 'end', cell: ({ facts }) => <LastProof facts={facts} /> },
  { id: 'due', label: 'Next due', align: 'end', wide: true, cell: ({ facts }) => <Ago time={facts.proving?.next_due_at} /> },
  { id: 'missed', label: 'Missed', align: 'end', cell: ({ facts }) => <Missed facts={facts} /> },
  { id: 'strip', label: 'Six weeks', wide: true, cell: ({ facts }) => <ProvingStrip proving={facts.proving} /> },
]

type FactsProps = Pick<DataSet, 'facts'>

const Pieces = ({ facts }: FactsProps) => {
  const differs = facts.active_piece_count !== undefined && facts.active_piece_count !== facts.recorded_piece_count
  return <span class={differs ? toneText.warning : ''}>{piecesText(facts)}</span>
}

const LastProof = ({ facts: { proving } }: FactsProps) =>
  proving?.last_proven_at === undefined ? (
    <span class="text-muted">{provingLook(proving).word}</span>
  ) : (
    <Ago time={proving.last_proven_at} />
  )

const Missed = ({ facts: { proving } }: FactsProps) => {
  if (!proving || proving.observed_periods === 0) return <span class="text-muted">—</span>
  return (
    <span
      class={proving.missed_periods > 0 ? toneText.warning : ''}
      title={`${proving.missed_periods} of ${proving.observed_periods} observed periods of the last six weeks`}
    >
      {proving.missed_periods} of {proving.observed_periods}
    </span>
  )
}
