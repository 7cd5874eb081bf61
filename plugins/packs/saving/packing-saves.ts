import { database } from '#kernel'
import { defineFeeSaver } from '#plugins/costs'
import { findPacking } from '../policies/packing-store.ts'
import { packLimits } from '../sealing/pack-limits.ts'
import { savedFees } from '../stored/saving-policy.ts'
import { packsOf } from '../stored/stored-policy.ts'
import { packedCopies, smallSince } from './saving-store.ts'

/** Tells the cost page what packing saves, and would save. */
export const packingSaves = defineFeeSaver({
  name: 'packing',
  uses: { database, limits: packLimits },
  async find({ database: { read }, limits }, { bucketId, bucket, sinceMs, prices }) {
    if ((await findPacking(read, bucketId))?.packing === 'small') return undefined
    const { contents, bytes, copies } = await smallSince(read, { bucketId, sinceMs, bytesMax: limits.objectBytesMax })
    const packs = packsOf({ contents, bytes }, await limits.of(bucketId))
    const saved = savedFees({ ofObjects: contents * copies, ofPacks: packs * copies }, prices)
    return saved === 0n ? undefined : { how: 'packing', objects: contents, saved, command: `svc admin pack policy ${bucket} small` }
  },
  saved: async ({ database: { read } }, { bucketId, prices }) => savedFees(await packedCopies(read, bucketId), prices),
})
