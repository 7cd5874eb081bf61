import { database } from '#kernel'
import { defineBucketDetailPart } from '#plugins/admin'
import { packs } from '#plugins/storage'
import { deadBytesOf } from '../compaction/compaction-policy.ts'
import { findPacking } from '../policies/packing-store.ts'
import { sumPacksOf } from './sum-packs-store.ts'

/** What the details of a bucket tell about its packing. */
export const bucketPackingPart = defineBucketDetailPart({
  name: 'packing',
  uses: { database, packs },
  async describe({ database: { read }, packs }, { id }) {
    const [found, { contents, bytes }, sum] = await Promise.all([findPacking(read, id), packs.sumWaiting(read, id), sumPacksOf(read, id)])
    const message = contents === 0 ? undefined : await packs.describeWait(read, id)
    const waiting = { contents, bytes, ...(message !== undefined && { message }) }
    const stored = {
      ...{ count: sum.packs, objects: sum.members, bytes: sum.bytes, living_bytes: sum.livingBytes },
      dead_bytes: deadBytesOf({ size: sum.bytes, members: sum.members, livingBytes: sum.livingBytes }),
    }
    const { packing = 'off', eraseWithinDays = 0 } = found ?? {}
    return { members: { packing: { policy: packing, erase_within_days: eraseWithinDays, waiting, packs: stored } } }
  },
})
