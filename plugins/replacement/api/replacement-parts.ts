/** What the overview and the details of a bucket get of replacements. */
import { defineBucketDetailPart, defineOverviewPart } from '#plugins/admin'
import { providers } from '#plugins/providers'
import { placements } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { replacements } from '../contract.ts'
import { describeReplacements } from './describe-replacement.ts'

/** The number that the specification shows. */
const shownMax = 50

export const bucketReplacementsPart = defineBucketDetailPart({
  name: 'replacements',
  uses: { replacements, placements, buckets, providers },
  async describe(deps, { id, dataSets }) {
    const found = await deps.replacements.list({ bucketId: id, limit: shownMax })
    return { replacements: await describeReplacements({ ...deps, placements: { dataSetsOf: async () => dataSets } }, found) }
  },
})
