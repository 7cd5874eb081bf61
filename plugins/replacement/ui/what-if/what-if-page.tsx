import { component$, useTask$ } from '@builder.io/qwik'
import {
  Ago,
  Bytes,
  Card,
  type Column,
  Count,
  Empty,
  ErrorAlert,
  formatPlural,
  Link,
  LinkButton,
  PageHeader,
  SkeletonLines,
  Table,
  toneText,
  useParam,
  useQuery,
} from '@svc/ui-kit'
import { HealCard } from './heal-card.tsx'
import { type Risk, readProviderId, risksOf, type WhatIf } from './what-if-policy.ts'

/** A count over a million copies takes several seconds: it is not asked for again and again. */
const pollMs = 600_000

/** What would be at risk if a provider were gone, and what healing takes. Nothing is changed. */
export const WhatIfPage = component$(() => {
  const id = useParam('id')
  const answer = useQuery(
    'GET /storage-replacements/what-if',
    () => {
      const provider = readProviderId(id)
      return provider === undefined ? null : { query: { provider_id: provider } }
    },
    { pollMs },
  )
  useTask$(() => {
    document.title = `If provider ${id} fails · svc`
  })
  const found = answer.data
  const isUnknown = readProviderId(id) === undefined || answer.error?.status === 404
  return (
    <>
      <PageHeader
        title={`If ${found?.provider_name ?? `provider ${id}`} fails`}
        description="What would be at risk if the provider were gone now. Nothing is changed."
        crumbs={[{ label: 'Providers', to: '/providers' }, { label: id, to: `/providers/${encodeURIComponent(id)}` }, { label: 'What if' }]}
      />
      {isUnknown ? (
        <Empty icon="server-off" title="No such provider" text="No registered provider has this id, and no data set is there.">
          <LinkButton href="/providers">All providers</LinkButton>
        </Empty>
      ) : (
        <ErrorAlert error={answer.error} onRetry$={answer.refresh} class="mb-4" />
      )}
      {!found && !isUnknown && !answer.error && <SkeletonLines lines={8} label="Counting the copies of the provider" />}
      {found && (
        <div class="grid min-w-0 items-start gap-5 lg:grid-cols-12">
          <div class="flex min-w-0 flex-col gap-5 lg:col-span-8">
            <Risks found={found} />
            <Buckets found={found} />
          </div>
          <div class="min-w-0 lg:col-span-4">
            <HealCard found={found} />
          </div>
        </div>
      )}
    </>
  )
})

const Risks = component$<{ found: WhatIf }>(({ found }) => (
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

const Buckets = component$<{ found: WhatIf }>(({ found }) => (
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
