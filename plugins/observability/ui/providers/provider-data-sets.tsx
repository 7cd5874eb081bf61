import { component$ } from '@builder.io/qwik'
import { Ago, Card, type Column, Empty, formatCount, Link, Table, useQuery } from '@svc/ui-kit'
import { type DataSet, nameOfSet, piecesText } from '../data-sets/describe-data-set.ts'
import { ProvingStrip } from '../data-sets/proving-strip.tsx'
import { SetState } from '../data-sets/set-state.tsx'

import { choiceWords } from './describe-provider.ts'

const shownMax = 25

/** Data sets of this service at a provider, with why it was chosen for each. */
export const ProviderDataSets = component$<{ providerId: string }>((props) => {
  const sets = useQuery('GET /observability/data-sets', () => ({
    query: { provider_id: props.providerId, limit: String(shownMax), history: 'true' as const },
  }))
  const more = (sets.data?.total ?? 0) > shownMax
  // Replication is disabled: there are no data sets.
  if (sets.error?.code === 'plugin_disabled') return null
  return (
    <Card title="Our data sets" note={more ? `${shownMax} of ${formatCount(sets.data?.total)}` : undefined} flush>
      <Link q:slot="actions" to="/data-sets" query={{ provider: props.providerId }} class="text-accent hover:underline">
        In the list
      </Link>
      <Table
        label="Data sets at this provider"
        columns={columns}
        rows={sets.data?.items}
        rowKey={({ facts }: DataSet) => String(facts.local_data_set_id)}
        error={sets.error?.message}
        onRetry$={sets.refresh}
        skeletonRows={3}
      >
        <Empty q:slot="empty" icon="layers" title="No data sets here" text="The service has not chosen this provider for a bucket." />
      </Table>
    </Card>
  )
})

const columns: readonly Column<DataSet>[] = [
  {
    id: 'set',
    label: 'Data set',
    title: true,
    cell: ({ facts }) => (
      <Link
        to="/data-sets"
        query={{ provider: facts.provider_id, set: String(facts.local_data_set_id) }}
        class="font-medium hover:underline"
      >
        {nameOfSet(facts)}
      </Link>
    ),
  },
  {
    id: 'bucket',
    label: 'Bucket',
    cell: ({ facts }) => (
      <Link to="/buckets/:name" params={{ name: facts.bucket_name }} class="hover:underline">
        {facts.bucket_name}
      </Link>
    ),
  },
  { id: 'state', label: 'State', grow: true, cell: (set) => <SetState set={set} /> },
  {
    id: 'why',
    label: 'Chosen because',
    cell: ({ facts: { chosen_because: why } }) =>
      why ? <span title={why.detail}>{choiceWords(why.reason)}</span> : <span class="text-muted">—</span>,
  },
  { id: 'pieces', label: 'Pieces', align: 'end', cell: ({ facts }) => piecesText(facts) },
  { id: 'proof', label: 'Last proof', align: 'end', cell: ({ facts }) => <Ago time={facts.proving?.last_proven_at} /> },
  { id: 'strip', label: 'Six weeks', wide: true, cell: ({ facts }) => <ProvingStrip proving={facts.proving} /> },
]
