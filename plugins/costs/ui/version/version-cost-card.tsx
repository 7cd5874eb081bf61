import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, formatMoney, formatPlural, KeyValue, KeyValues, Link, SkeletonLines, useNow, useQuery } from '@svc/ui-kit'
import { costOf } from './version-cost-policy.ts'

interface VersionCostCardProps {
  bucket: string
  objectKey: string
  versionId: string
}

const digits = 8
const show = (amount: bigint): string => `${formatMoney(amount, { digits })} USDFC`

/** What the copies of one object version cost until now, and go on to cost. */
export const VersionCostCard = component$<VersionCostCardProps>((props) => {
  const now = useNow()
  const cost = useQuery('GET /buckets/:name/cost', () => ({ params: { name: props.bucket } }))
  const proof = useQuery('GET /buckets/:name/objects/proof', () => ({
    params: { name: props.bucket },
    query: { key: props.objectKey, version_id: props.versionId },
  }))
  const error = cost.error ?? proof.error
  const known = cost.data && proof.data && costOf(proof.data.copies, cost.data, now.value)
  return (
    <Card title="Cost so far">
      <Link
        q:slot="actions"
        to="/buckets/:name"
        params={{ name: props.bucket }}
        query={{ tab: 'cost' }}
        class="text-accent hover:underline"
      >
        Of the bucket
      </Link>
      <ErrorAlert error={error} onRetry$={cost.error ? cost.refresh : proof.refresh} />
      {!known && !error && <SkeletonLines lines={4} label="Loading the cost" />}
      {known && known.copies.length === 0 && known.unread === 0 && (
        <p class="text-sm text-muted">Nothing: no copy is stored at a provider yet.</p>
      )}
      {known && known.copies.length > 0 && (
        <>
          <p class="text-2xl font-semibold tracking-tight">{show(known.soFar)}</p>
          <p class="text-xs text-muted">for storage since the copies are there, and {show(known.perMonth)} for each further month</p>
          <KeyValues class="mt-2">
            {known.copies.map(({ copyIndex, soFar, perMonth }) => (
              <KeyValue key={copyIndex} label={`Replica ${copyIndex + 1}`} value={`${show(soFar)}, ${show(perMonth)} a month`} />
            ))}
          </KeyValues>
          <p class="mt-2 text-xs text-muted">
            The share of its bytes in the present rates of the data sets. The fees of calls, which pieces share, are among the costs of the
            bucket.
          </p>
        </>
      )}
      {known && known.unread > 0 && (
        <p class="mt-2 text-xs text-muted">The rate of {formatPlural(known.unread, 'piece')} was not read from the chain yet.</p>
      )}
    </Card>
  )
})
