import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, Link, SkeletonLines } from '@svc/ui-kit'
import { TopologyMap } from './topology-map.tsx'
import { useTopology } from './use-topology.ts'

/** The part of the topology that belongs to one bucket. */
export const BucketTopologyTab = component$<{ bucket: string }>((props) => {
  const { buckets, sets, providers } = useTopology(() => ({ bucket: props.bucket }))
  const error = buckets.error ?? sets.error
  return (
    <Card title="Replicas">
      <Link q:slot="actions" to="/data-sets" query={{ bucket: props.bucket }} class="text-accent hover:underline">
        As a list
      </Link>
      <ErrorAlert error={error} onRetry$={buckets.error ? buckets.refresh : sets.refresh} class="mb-3" />
      {!error && !(buckets.data && sets.data) && <SkeletonLines lines={6} label="Loading the replicas" />}
      {buckets.data && sets.data && (
        <TopologyMap
          buckets={buckets.data.filter(({ name }) => name === props.bucket)}
          sets={sets.data.items}
          providers={providers.data?.items ?? []}
        />
      )}
    </Card>
  )
})
