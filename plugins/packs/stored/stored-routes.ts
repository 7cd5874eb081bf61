import { clock, database, defineRoutes, formatTime, optional, serveEndpoint, taskQueue } from '#kernel'
import { buckets } from '#plugins/storage'
import { funds, readPrices } from '#plugins/wallet'
import { packLimits } from '../sealing/pack-limits.ts'
import { enqueuePackStored } from './pack-stored-task.ts'
import { packStoredObjects, showStored } from './stored-api.ts'
import { packingCosts, packsOf } from './stored-policy.ts'
import { askToPack, findAskedPacking, sumStored } from './stored-store.ts'

export const storedRoutes = defineRoutes({
  name: 'packs-stored',
  uses: { database, buckets, limits: packLimits, queue: taskQueue, clock, funds: optional(funds) },
  endpoints: [showStored, packStoredObjects],
  register(app, { database, buckets, limits, queue, clock, funds }) {
    serveEndpoint(app, showStored, async ({ query }) => {
      const { id: bucketId, name: bucket } = buckets.require(query.bucket)
      const [sum, asked, prices] = await Promise.all([
        sumStored(database.read, { bucketId, bytesMax: limits.objectBytesMax }),
        findAskedPacking(database.read, bucketId),
        readPrices(funds, clock),
      ])
      const packs = packsOf(sum, await limits.of(bucketId))
      const costs = prices && packingCosts(sum, packs, prices)
      return {
        ...{ bucket, contents: sum.contents, bytes: sum.bytes, packs },
        ...(costs && { costs: { spent: String(costs.spent), saved_per_copy: String(costs.savedPerCopy) } }),
        ...(asked && {
          running: { asked_at: formatTime(asked.askedAtMs), contents: asked.contents, packed: asked.packed, left_out: asked.leftOut },
        }),
      }
    })

    serveEndpoint(app, packStoredObjects, async ({ body }) => {
      const { id: bucketId, name: bucket } = buckets.require(body.bucket)
      const { contents } = await sumStored(database.read, { bucketId, bytesMax: limits.objectBytesMax })
      if (contents < 2) return { bucket, contents: 0 }
      await database.write(async (tx) => {
        await askToPack(tx, { bucketId, contents, nowMs: clock.now() })
        await enqueuePackStored(tx, queue, { bucketId, bucket })
      })
      return { bucket, contents }
    })
  },
})
