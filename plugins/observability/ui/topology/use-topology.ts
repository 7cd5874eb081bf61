import { useQuery } from '@svc/ui-kit'
import { usedProviders } from '../providers/describe-provider.ts'
import { type TopologyFilter, topologyQuery } from './describe-topology.ts'

/** The answers behind the picture. `filter` may read signals and props: they are tracked. */
export function useTopology(filter: () => TopologyFilter = () => ({})) {
  const buckets = useQuery('GET /buckets')
  const sets = useQuery('GET /observability/data-sets', () => ({ query: topologyQuery(filter()) }))
  const providers = useQuery('GET /observability/providers', () => usedProviders)
  return { buckets, sets, providers }
}
