import { component$ } from '@builder.io/qwik'
import { type Answer, Card, type Column, Empty, formatPlural, Link, Money, Table, useQuery } from '@svc/ui-kit'

type Leak = Answer<'GET /cost/leaks'>['buckets'][number]

/** Buckets whose fees for pieces could be lower. */
export const LeaksCard = component$(() => {
  const leaks = useQuery('GET /cost/leaks', () => ({}))
  return (
    <Card title="Fees for pieces" note="last 30 days" flush>
      <Table
        label="Fees for pieces by bucket"
        columns={columns}
        rows={leaks.data?.buckets}
        rowKey={({ bucket }) => bucket}
        error={leaks.error?.message}
        onRetry$={leaks.refresh}
        skeletonRows={2}
      >
        <Empty q:slot="empty" icon="coins" title="No piece was added in 30 days" />
      </Table>
    </Card>
  )
})

const columns: readonly Column<Leak>[] = [
  {
    id: 'bucket',
    label: 'Bucket',
    title: true,
    cell: ({ bucket }) => (
      <Link to="/buckets/:name" params={{ name: bucket }} query={{ tab: 'packs' }} class="hover:underline">
        <bdi>{bucket}</bdi>
      </Link>
    ),
  },
  { id: 'fees', label: 'Fees', align: 'end', cell: ({ fees }) => <Money value={fees} price /> },
  {
    id: 'share',
    label: 'Of its cost',
    align: 'end',
    cell: ({ fee_percent: percent }) => (percent === null ? null : `${percent} %`),
  },
  {
    id: 'saving',
    label: 'Would be saved',
    grow: true,
    cell: ({ saving }) =>
      saving === undefined ? null : (
        <>
          <Money value={saving.saved} price /> a month by {saving.how}{' '}
          <span class="text-xs text-muted">{formatPlural(saving.objects, 'small object')}</span>
        </>
      ),
  },
]
