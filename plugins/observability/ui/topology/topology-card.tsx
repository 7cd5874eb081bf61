import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, formatCount, Link, SkeletonLines, useIsEnabled } from '@svc/ui-kit'
import { isPartial, toWorst } from './describe-topology.ts'
import { TopologyMap } from './topology-map.tsx'
import { useTopology } from './use-topology.ts'

const shownMax = 8

/** The part of the topology with the buckets at the highest risk. Without copies there is none. */
export const TopologyCard = component$(() => {
  const hasCopies = useIsEnabled('replication')
  return <>{hasCopies.value && <WorstBuckets />}</>
})

const WorstBuckets = component$(() => {
  const { buckets, sets, providers } = useTopology()
  const error = buckets.error ?? sets.error
  const total = buckets.data?.length ?? 0
  return (
    <Card title="Topology" note={total > shownMax ? `${shownMax} of ${formatCount(total)} buckets, highest risk first` : undefined}>
      <Link q:slot="actions" to="/topology" class="text-accent hover:underline">
        All of it
      </Link>
      <ErrorAlert error={error} onRetry$={buckets.error ? buckets.refresh : sets.refresh} class="mb-3" />
      {!error && !(buckets.data && sets.data) && <SkeletonLines lines={6} label="Loading the topology" />}
      {buckets.data && sets.data && (
        <TopologyMap
          buckets={toWorst(buckets.data, shownMax)}
          sets={sets.data.items}
          providers={providers.data?.items ?? []}
          filter={{ isPartial: isPartial(sets.data) }}
        />
      )}
    </Card>
  )
})
