import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, SkeletonLines, useQuery } from '@svc/ui-kit'
import { ReplicaMap } from './replica-map.tsx'

/** The part of the replica map that belongs to one bucket. */
export const BucketMapTab = component$<{ bucket: string }>((props) => {
  const detail = useQuery('GET /buckets/:name', () => ({ params: { name: props.bucket } }))
  return (
    <Card title="Replica map">
      <ErrorAlert error={detail.error} onRetry$={detail.refresh} />
      {!detail.data && !detail.error && <SkeletonLines lines={6} label="Loading the replica map" />}
      {detail.data && <ReplicaMap buckets={[detail.data]} />}
    </Card>
  )
})
