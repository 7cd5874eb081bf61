import { component$ } from '@builder.io/qwik'
import { Alert, KeyValue, KeyValues, SkeletonLines, useQuery } from 'svc/ui-kit'

/** What hold-details.ts adds to the details of a bucket. */
interface HeldBucket {
  readonly legal_hold?: { readonly prefix: string }
}

export const HoldTab = component$<{ bucket: string }>((props) => {
  const details = useQuery('GET /buckets/:name', () => ({ params: { name: props.bucket } }))
  if (details.error) return <Alert tone="danger">{details.error.message}</Alert>
  if (!details.data) return <SkeletonLines label="Loading the legal hold" />
  return (
    <KeyValues>
      <KeyValue label="Kept in the cache">
        Keys that start with <bdi class="font-mono">{(details.data as HeldBucket).legal_hold?.prefix}</bdi>
      </KeyValue>
    </KeyValues>
  )
})
