import { component$ } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Badge,
  Bytes,
  Card,
  type Column,
  Empty,
  ErrorAlert,
  KeyValue,
  KeyValues,
  Money,
  SkeletonLines,
  Table,
  useQuery,
} from '@svc/ui-kit'

type BucketCost = Answer<'GET /buckets/:name/cost'>
type DataSet = BucketCost['data_sets'][number]

/** What one bucket costs, by data set. */
export const BucketCostTab = component$<{ bucket: string }>((props) => {
  const cost = useQuery('GET /buckets/:name/cost', () => ({ params: { name: props.bucket } }))
  if (!cost.data) {
    return cost.error ? <ErrorAlert error={cost.error} onRetry$={cost.refresh} /> : <SkeletonLines lines={8} label="Loading the costs" />
  }
  const { rate, locked, fees, paid, data_sets, read_at, freshness } = cost.data
  return (
    <div class="grid gap-4 lg:grid-cols-12">
      <Card title="Cost" class="lg:col-span-4">
        {read_at !== null && (
          <span q:slot="actions">
            {freshness === 'stale' ? 'out of date, read ' : 'read '}
            <Ago time={read_at} />
          </span>
        )}
        <KeyValues>
          <KeyValue label="Each day">
            <Money value={rate?.per_day} price />
          </KeyValue>
          <KeyValue label="Each month">
            <Money value={rate?.per_month} price />
          </KeyValue>
          <KeyValue label="Locked: reserves">
            <Money value={locked?.reserve} />
          </KeyValue>
          <KeyValue label="Locked: rate in advance">
            <Money value={locked?.advance} />
          </KeyValue>
          <KeyValue label="Fees so far">
            <Money value={fees.total} price />
          </KeyValue>
          <KeyValue label="Saved by shared pieces" help="Fees that its objects would have cost more as pieces of their own.">
            <Money value={cost.data.fees_saved} price />
          </KeyValue>
          <KeyValue label="Paid on chain" help="Fees and settled storage since the receipts began.">
            <Money value={BigInt(paid.one_time) + BigInt(paid.storage)} price />
          </KeyValue>
        </KeyValues>
      </Card>
      <Card title="By data set" flush class="lg:col-span-8">
        <Table label="Costs by data set" columns={columns} rows={data_sets} rowKey={({ id }) => String(id)}>
          <div q:slot="empty">
            <Empty icon="coins" title="This bucket costs nothing yet" text="It costs from its first stored object on." />
          </div>
        </Table>
      </Card>
    </div>
  )
})

const states = { active: ['success', 'Active'], ending: ['warning', 'Ending'], unread: ['neutral', 'Not read yet'] } as const

const columns: readonly Column<DataSet>[] = [
  {
    id: 'replica',
    label: 'Replica',
    title: true,
    grow: true,
    cell: ({ copy_index, provider_id, data_set_id }) => (
      <>
        Replica {copy_index + 1}{' '}
        <span class="text-xs text-muted">
          provider {provider_id}
          {data_set_id !== undefined && `, data set ${data_set_id}`}
        </span>
      </>
    ),
  },
  { id: 'state', label: 'State', cell: ({ status }) => <Badge tone={states[status][0]}>{states[status][1]}</Badge> },
  { id: 'bytes', label: 'Billed bytes', align: 'end', wide: true, cell: ({ billed_bytes }) => <Bytes value={billed_bytes} /> },
  { id: 'month', label: 'Each month', align: 'end', cell: ({ rate }) => <Money value={rate.per_month} price /> },
  {
    id: 'locked',
    label: 'Locked',
    align: 'end',
    cell: ({ locked }) => <Money value={BigInt(locked.reserve) + BigInt(locked.advance)} />,
  },
]
