import { database } from '#kernel'
import { defineBucketDetailPart } from '#plugins/admin'
import { packs } from '#plugins/storage'
import { findPacking } from '../policies/packing-store.ts'

/** What the details of a bucket tell about its packing. */
export const bucketPackingPart = defineBucketDetailPart({
  name: 'packing',
  uses: { database, packs },
  async describe({ database: { read }, packs }, { id }) {
    const [found, { contents, bytes }] = await Promise.all([findPacking(read, id), packs.sumWaiting(read, id)])
    const message = contents === 0 ? undefined : await packs.describeWait(read, id)
    const waiting = { contents, bytes, ...(message !== undefined && { message }) }
    return { members: { packing: { policy: found?.packing ?? 'off', waiting } } }
  },
})
