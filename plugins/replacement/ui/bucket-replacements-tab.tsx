import { component$ } from '@builder.io/qwik'
import {
  type Answer,
  Badge,
  Bytes,
  Card,
  type Column,
  Empty,
  ErrorAlert,
  formatPlural,
  HealthBadge,
  hrefOf,
  LinkButton,
  Table,
  useQuery,
} from '@svc/ui-kit'
import { ReplacementTable } from './replacement-table.tsx'

type DataSet = Answer<'GET /buckets/:name'>['data_sets'][number]

const historyMax = 50

/** The replicas of a bucket that can be moved to another provider, and what was moved before. */
export const BucketReplacementsTab = component$<{ bucket: string }>((props) => {
  const detail = useQuery('GET /buckets/:name', () => ({ params: { name: props.bucket } }))
  const history = useQuery('GET /storage-replacements', () => ({ query: { bucket: props.bucket, limit: String(historyMax) } }))
  return (
    <div class="flex flex-col gap-5">
      <ErrorAlert error={detail.error} onRetry$={detail.refresh} />
      <Card title="Replicas" note={detail.data && formatPlural(detail.data.default_copies, 'copy wanted', 'copies wanted')} flush>
        <Table
          label="Replicas"
          columns={columnsOf(props.bucket)}
          rows={detail.data?.data_sets.filter(({ is_current }) => is_current)}
          rowKey={({ id }: DataSet) => String(id)}
        >
          <Empty q:slot="empty" icon="layers" title="No data sets yet" text="The first upload opens one at each provider." />
        </Table>
      </Card>
      <Card title="History" note="newest first" flush>
        <ReplacementTable rows={history.data?.replacements} error={history.error?.message} ofBucket>
          <Empty q:slot="empty" icon="replace" title="No provider of this bucket was replaced" />
        </ReplacementTable>
      </Card>
    </div>
  )
})

const columnsOf = (bucket: string): readonly Column<DataSet>[] => [
  { id: 'replica', label: 'Replica', title: true, cell: ({ copy_index }) => `Replica ${copy_index + 1}` },
  { id: 'provider', label: 'Provider', cell: ({ provider_id }) => `#${provider_id}` },
  { id: 'health', label: 'Health', grow: true, cell: ({ storage_health }) => <HealthBadge health={storage_health} /> },
  { id: 'size', label: 'Size there', align: 'end', cell: ({ physical_bytes }) => <Bytes value={physical_bytes} /> },
  {
    id: 'replace',
    label: 'Move',
    align: 'end',
    cell: ({ id, copy_index, replaceable }) =>
      replaceable ? (
        <LinkButton
          size="sm"
          changes="POST /buckets/:name/data-sets/:id/replacement"
          href={hrefOf('/buckets/:name/replace/:id', { name: bucket, id: String(id) })}
        >
          Replace<span class="sr-only"> the provider of replica {copy_index + 1}</span>
        </LinkButton>
      ) : (
        <Badge tone="info">Being moved</Badge>
      ),
  },
]
