import { clock, taskQueue } from '#kernel'
import { definePackCollector, packs } from '#plugins/storage'
import { findPacking } from '../policies/packing-store.ts'
import { packsSection } from '../settings.ts'
import { packLimits } from './pack-limits.ts'
import { enqueueSeal } from './seal-pack-task.ts'
import { describeWait } from './seal-policy.ts'

/** Takes small contents of buckets whose packing is `small`, and enqueues the task that seals them. */
export const smallContents = definePackCollector({
  name: 'packs',
  uses: { limits: packLimits, settings: packsSection.settings, queue: taskQueue, packs, clock },
  async collects({ limits, settings, queue, clock }, tx, { bucketId, size }) {
    if (size > limits.objectBytesMax) return false
    const found = await findPacking(tx, bucketId)
    if (found?.packing !== 'small') return false
    await enqueueSeal(tx, queue, { bucketId, bucket: found.bucket }, clock.now() + settings.idle)
    return true
  },
  async describe({ limits, packs, clock }, read, bucketId) {
    return describeWait(await packs.sumWaiting(read, bucketId), await limits.of(bucketId), clock.now())
  },
  async erasesWithinDays(_services, read, bucketId) {
    return (await findPacking(read, bucketId))?.eraseWithinDays || undefined
  },
})
