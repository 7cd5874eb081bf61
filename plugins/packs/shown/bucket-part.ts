import { clock, database } from '#kernel'
import { defineBucketDetailPart } from '#plugins/admin'
import { packs } from '#plugins/storage'
import { deadBytesOf } from '../compaction/compaction-policy.ts'
import { packLimits } from '../sealing/pack-limits.ts'
import { describePacking } from './describe-packing.ts'
import { sumPacksOf } from './sum-packs-store.ts'

/** What the details of a bucket tell about its packing. */
export const bucketPackingPart = defineBucketDetailPart({
  name: 'packing',
  uses: { database, packs, limits: packLimits, clock },
  async describe({ database: { read }, ...services }, { id }) {
    const [{ packing: policy, erase_within_days, waiting }, sum] = await Promise.all([
      describePacking(services, read, id),
      sumPacksOf(read, id),
    ])
    const stored = {
      ...{ count: sum.packs, objects: sum.members, bytes: sum.bytes, living_bytes: sum.livingBytes },
      dead_bytes: deadBytesOf({ size: sum.bytes, members: sum.members, livingBytes: sum.livingBytes }),
    }
    return { members: { packing: { policy, erase_within_days, waiting, packs: stored } } }
  },
})
