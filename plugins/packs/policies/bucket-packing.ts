import { type BucketDeletion, defineBucketCreation } from '#plugins/storage'
import { forgetMovesOfBucket } from '../compaction/compaction-store.ts'
import { packsSection } from '../settings.ts'
import { forgetAskedPacking } from '../stored/stored-store.ts'
import { deletePacking, setPacking } from './packing-store.ts'

/** I-12: a bucket keeps the packing of its creation. */
export const packingOfNewBuckets = defineBucketCreation({
  name: 'packs',
  uses: { settings: packsSection.settings },
  async created({ settings }, tx, { id }) {
    if (settings.default !== 'off') await setPacking(tx, id, settings.default)
  },
})

export const packingDeletion: BucketDeletion = {
  name: 'packs',
  async deleted(tx, bucketId) {
    await deletePacking(tx, bucketId)
    await forgetMovesOfBucket(tx, bucketId)
    await forgetAskedPacking(tx, bucketId)
  },
}
