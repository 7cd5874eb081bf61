import { component$ } from '@builder.io/qwik'
import { Empty, healthTones, healthWords, LinkButton, setSearch, useSearchParam } from '@svc/ui-kit'
import { Lanes } from './lanes.tsx'
import type { NodeRef } from './lanes-policy.ts'
import { NodeFacts } from './node-facts.tsx'
import { type BucketDetail, toLanes } from './replica-map-policy.ts'

/** Which data sets and providers hold the objects of buckets. The chosen node is in the address. */
export const ReplicaMap = component$<{ buckets: readonly BucketDetail[] }>(({ buckets }) => {
  const node = useSearchParam('node')
  const data = toLanes(buckets, { tones: healthTones, words: healthWords })
  if (data.sets.length === 0) {
    return (
      <Empty icon="waypoints" title="No data sets yet" text="The first upload into a bucket opens its data sets.">
        <LinkButton href="/buckets">Open the buckets</LinkButton>
      </Empty>
    )
  }
  return (
    <div class="flex flex-col gap-3">
      <Lanes
        label="Replica map"
        data={data}
        selected={node.value === '' ? undefined : (node.value as NodeRef)}
        onSelect$={(chosen) => setSearch({ node: chosen === node.value ? null : chosen }, { replace: true })}
      />
      <NodeFacts node={node.value} buckets={buckets} />
    </div>
  )
})
