import { database, defineRoutes, serveEndpoint } from '#kernel'
import { buckets } from '#plugins/storage'
import { findPacking, setErasure, setPacking } from '../policies/packing-store.ts'
import { changePacking } from './pack-api.ts'

export const packingPolicyRoutes = defineRoutes({
  name: 'packing-policy',
  uses: { database, buckets },
  endpoints: [changePacking],
  register(app, { database, buckets }) {
    serveEndpoint(app, changePacking, async ({ body }) => {
      const { id, name: bucket } = buckets.require(body.bucket)
      const { packing, erase_within_days: days } = body
      return database.write(async (tx) => {
        const found = await findPacking(tx, id)
        if ((found?.packing ?? 'off') !== packing || (days !== undefined && !found)) await setPacking(tx, id, packing)
        if (days !== undefined) await setErasure(tx, id, days)
        return { bucket, packing, erase_within_days: days ?? found?.eraseWithinDays ?? 0 }
      })
    })
  },
})
