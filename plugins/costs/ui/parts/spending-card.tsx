import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, KeyValue, KeyValues, Link, Money, SkeletonLines, useQuery } from '@svc/ui-kit'

const bucketsShown = 4

/** Where the deposit goes, on the wallet page. */
export const SpendingCard = component$(() => {
  const cost = useQuery('GET /cost', () => ({ query: { buckets: String(bucketsShown) } }))
  const data = cost.data
  return (
    <Card title="Spending">
      <Link q:slot="actions" to="/costs" class="text-accent hover:underline">
        All costs
      </Link>
      {!data &&
        (cost.error ? <ErrorAlert error={cost.error} onRetry$={cost.refresh} /> : <SkeletonLines lines={5} label="Loading the spending" />)}
      {data && (
        <KeyValues>
          {data.buckets.map(({ bucket_id, name, rate }) => (
            <KeyValue key={bucket_id} label={name}>
              <Money value={rate.per_month} price /> <span class="text-xs text-muted">a month</span>
            </KeyValue>
          ))}
          {data.other_buckets.count > 0 && (
            <KeyValue label={`${data.other_buckets.count} other buckets`}>
              <Money value={data.other_buckets.rate.per_month} price /> <span class="text-xs text-muted">a month</span>
            </KeyValue>
          )}
          <KeyValue label="Fees so far">
            <Money value={data.fees.total} price />
          </KeyValue>
          {data.limits.monthly.limit !== null && (
            <KeyValue label="Limit of this month">
              <Money value={data.limits.monthly.used} price /> of <Money value={data.limits.monthly.limit} />
            </KeyValue>
          )}
        </KeyValues>
      )}
    </Card>
  )
})
