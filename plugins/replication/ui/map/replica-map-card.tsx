import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, formatCount, Link, SkeletonLines } from '@svc/ui-kit'
import { ReplicaMap } from './replica-map.tsx'
import { useBucketDetails } from './use-bucket-details.ts'

/** The buckets at the highest risk, with their data sets and providers. */
export const ReplicaMapCard = component$(() => {
  const { list, state, refresh } = useBucketDetails()
  const { buckets } = state
  const error = list.error ?? state.error
  /** Buckets of the gateway, mapped or not. */
  const total = list.data?.length ?? 0
  const note = buckets && total > buckets.length ? `${buckets.length} of ${formatCount(total)} buckets, highest risk first` : undefined
  return (
    <Card title="Replica map" note={note}>
      <Link q:slot="actions" to="/storage-risk" class="text-accent hover:underline">
        All buckets
      </Link>
      <ErrorAlert error={error} onRetry$={refresh} class="mb-3" />
      {!buckets && !error && <SkeletonLines lines={6} label="Loading the replica map" />}
      {buckets && <ReplicaMap buckets={buckets} />}
    </Card>
  )
})
