/** What the overview and the details of a bucket get of replacements. */
import { database } from '#kernel'
import { defineBucketDetailPart, defineOverviewPart } from '#plugins/admin'
import { providers } from '#plugins/providers'
import { placements } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { replacements } from '../contract.ts'
import { countReplacements } from '../metrics/replacement-counts-store.ts'
import { drivenStatuses } from '../states/replacement-transitions-policy.ts'
import { describeReplacements } from './describe-replacement.ts'

/** The number that the specification shows. */
const shownMax = 50

export const bucketReplacementsPart = defineBucketDetailPart({
  name: 'replacements',
  uses: { replacements, placements, buckets, providers },
  async describe(deps, { id, dataSets }) {
    const found = await deps.replacements.list({ bucketId: id, limit: shownMax })
    const open = found.filter(({ status }) => status !== 'completed' && status !== 'superseded')
    return {
      replacements: await describeReplacements({ ...deps, placements: { dataSetsOf: async () => dataSets } }, found),
      // A confirmation for it is refused with `replacement_active`.
      notReplaceable: open.map(({ targetId }) => targetId),
    }
  },
})

export const replacementOverview = defineOverviewPart({
  name: 'replacements',
  into: 'replacements',
  uses: { database },
  async summarise({ database }) {
    const counts = await countReplacements(database.read)
    const sum = (statuses: Iterable<Parameters<typeof counts.get>[0]>) =>
      [...statuses].reduce((all, status) => all + (counts.get(status) ?? 0), 0)
    return { active: sum(drivenStatuses), needs_attention: sum(['failed', 'cleanup_attention']) }
  },
})
