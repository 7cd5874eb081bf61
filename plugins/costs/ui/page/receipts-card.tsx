import { component$, useSignal } from '@builder.io/qwik'
import {
  type Answer,
  apiPath,
  Badge,
  Card,
  ErrorAlert,
  Field,
  KeyValue,
  KeyValues,
  LinkButton,
  Money,
  Select,
  SkeletonLines,
  useQuery,
} from '@svc/ui-kit'
import { lastMonths } from './months-policy.ts'

/** What the chain took in a month, to look at and to download. */
export const ReceiptsCard = component$(() => {
  const months = lastMonths(Date.now())
  const month = useSignal(months[0] ?? '')
  const bucket = useSignal('')
  const buckets = useQuery('GET /buckets')
  const query = { month: month.value, bucket: bucket.value === '' ? undefined : bucket.value }
  const receipt = useQuery('GET /receipts', () => ({
    query: { month: month.value, ...(bucket.value !== '' && { bucket: bucket.value }) },
  }))
  const name = `receipt-${query.month}${query.bucket === undefined ? '' : `-${query.bucket}`}`
  return (
    <Card title="Receipts" note="months in UTC">
      <div class="grid gap-4 xl:grid-cols-2">
        <Field label="Month">
          <Select value={month} options={months.map((one) => ({ value: one, label: one }))} />
        </Field>
        <Field label="Bucket">
          <Select
            value={bucket}
            options={[
              { value: '', label: 'All buckets and the rest' },
              ...(buckets.data ?? []).map(({ name }) => ({ value: name, label: name })),
            ]}
          />
        </Field>
      </div>
      <ErrorAlert error={receipt.error} title="The receipt cannot be read" onRetry$={receipt.refresh} class="mt-4" />
      {receipt.data ? <Summary receipt={receipt.data} /> : !receipt.error && <SkeletonLines lines={4} label="Loading the receipt" />}
      <div class="mt-3 flex flex-wrap gap-2">
        {(['csv', 'json'] as const).map((format) => (
          <LinkButton
            key={format}
            icon="download"
            href={apiPath('GET /receipts', { query: { ...query, format } })}
            download={`${name}.${format}`}
          >
            Download {format.toUpperCase()}
          </LinkButton>
        ))}
      </div>
    </Card>
  )
})

const Summary = ({ receipt: { one_time, storage, unattributed, total, lines, is_complete } }: { receipt: Answer<'GET /receipts'> }) => (
  <KeyValues class="mt-3">
    <KeyValue label="Followed" help="Whether the chain was followed through the whole month.">
      {is_complete ? <Badge tone="success">The whole month</Badge> : <Badge tone="neutral">Not the whole month</Badge>}
    </KeyValue>
    <KeyValue label="Payments">{String(lines.reduce((sum, { payments }) => sum + payments, 0))}</KeyValue>
    <KeyValue label="Fees">
      <Money value={one_time} price />
    </KeyValue>
    <KeyValue label="Storage">
      <Money value={storage} price />
    </KeyValue>
    {unattributed !== '0' && (
      <KeyValue label="Not attributed" help="The account lost it, and no log of the chain says to whom.">
        <Money value={unattributed} price />
      </KeyValue>
    )}
    <KeyValue label="Total">
      <strong class="font-semibold">
        <Money value={total} price />
      </strong>
    </KeyValue>
  </KeyValues>
)
