import { component$ } from '@builder.io/qwik'
import { Ago, Bytes, Card, type Column, Count, Empty, formatPlural, Link, Table, toneText } from '@svc/ui-kit'
import { type Risk, risksOf, type WhatIf } from './what-if-policy.ts'

export const Risks = component$<{ found: WhatIf }>(({ found }) => (
  <Card title="At risk" flush>
    <Table label="Contents at risk" columns={riskColumns} rows={risksOf(found)} rowKey={({ id }: Risk) => id} />
    <p class="border-t px-4 py-2.5 text-xs text-muted">
      Counted <Ago time={found.counted_at} />. Contents with the same bytes are counted once in each bucket.
    </p>
  </Card>
))

const riskColumns: readonly Column<Risk>[] = [
  {
    id: 'risk',
    label: 'Without the provider',
    title: true,
    grow: true,
    cell: ({ label, help, tone }) => (
      <span title={help} class={tone === 'neutral' ? '' : toneText[tone]}>
        {label}
      </span>
    ),
  },
  { id: 'contents', label: 'Contents', align: 'end', cell: ({ count }) => <Count value={count.contents} /> },
  { id: 'versions', label: 'Versions', align: 'end', cell: ({ count }) => <Count value={count.versions} /> },
  { id: 'bytes', label: 'Size', align: 'end', cell: ({ count }) => <Bytes value={count.bytes} /> },
]

type Bucket = WhatIf['buckets'][number]

export const Buckets = component$<{ found: WhatIf }>(({ found }) => (
  <Card title="Buckets" note={found.other_buckets > 0 ? `and ${formatPlural(found.other_buckets, 'other bucket')}` : undefined} flush>
    <Table label="Buckets" columns={bucketColumns} rows={found.buckets} rowKey={({ data_set_id }: Bucket) => String(data_set_id)}>
      <Empty q:slot="empty" icon="database" title="No bucket depends on it" text="The provider has no committed copy." />
    </Table>
  </Card>
))

const bucketColumns: readonly Column<Bucket>[] = [
  {
    id: 'bucket',
    label: 'Bucket',
    title: true,
    grow: true,
    cell: ({ bucket, copy_index }) => (
      <>
        <Link to="/buckets/:name" params={{ name: bucket }} query={{ tab: 'replacements' }} class="hover:underline">
          {bucket}
        </Link>{' '}
        <span class="text-muted">replica {copy_index + 1}</span>
      </>
    ),
  },
  { id: 'size', label: 'Stored there', align: 'end', cell: ({ stored }) => <Bytes value={stored.bytes} /> },
  { id: 'target', label: 'Below the target', align: 'end', cell: ({ below_target }) => <Count value={below_target.contents} /> },
  { id: 'only', label: 'No other copy', align: 'end', cell: ({ no_other_copy }) => <Count value={no_other_copy.contents} /> },
  { id: 'lost', label: 'Lost', align: 'end', cell: ({ lost }) => <Count value={lost.contents} /> },
]
