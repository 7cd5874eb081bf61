import { component$ } from '@builder.io/qwik'
import { Empty, healthTones, healthWords, LinkButton, setSearch, useSearchParam } from '@svc/ui-kit'
import type { DataSet } from '../data-sets/describe-data-set.ts'
import type { Provider } from '../providers/describe-provider.ts'
import { type Bucket, readNode, type TopologyFilter, toLanes } from './describe-topology.ts'
import { Lanes } from './lanes.tsx'
import type { NodeRef } from './lanes-policy.ts'
import { NodeSheet } from './node-sheet.tsx'

interface TopologyMapProps {
  buckets: readonly Bucket[]
  sets: readonly DataSet[]
  providers: readonly Provider[]
  filter?: TopologyFilter | undefined
}

/** Which data sets and providers hold the objects of buckets. The chosen node is in the address, and its details in a sheet. */
export const TopologyMap = component$<TopologyMapProps>(({ buckets, sets, providers, filter = {} }) => {
  const node = useSearchParam('node')
  const data = toLanes({ buckets, sets, providers }, filter, { tones: healthTones, words: healthWords })
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <>
      {data.buckets.length > 0 && (
        <Lanes
          label="Topology"
          data={data}
          selected={readNode(node.value) && (node.value as NodeRef)}
          onSelect$={(chosen) => setSearch({ node: chosen })}
        />
      )}
      {data.buckets.length === 0 && isFiltered && (
        <Empty icon="list-filter" title="Nothing matches" text="No bucket has a data set with this provider and state." />
      )}
      {data.buckets.length === 0 && !isFiltered && (
        <Empty icon="waypoints" title="No buckets yet" text="The first upload into a bucket opens its data sets.">
          <LinkButton href="/buckets">Open the buckets</LinkButton>
        </Empty>
      )}
      <NodeSheet buckets={buckets} sets={sets} providers={providers} />
    </>
  )
})
