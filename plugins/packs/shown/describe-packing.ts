import type { Clock, Reader } from '#kernel'
import type { Packs } from '#plugins/storage'
import { findPacking } from '../policies/packing-store.ts'
import type { PackLimits } from '../sealing/pack-limits.ts'
import { describeWait } from '../sealing/seal-policy.ts'

interface DescribeDeps {
  readonly packs: Pick<Packs, 'sumWaiting'>
  readonly limits: Pick<PackLimits, 'of'>
  readonly clock: Pick<Clock, 'now'>
}

/** The packing of a bucket, what waits there for a pack, and since when. */
export async function describePacking({ packs, limits, clock }: DescribeDeps, read: Reader, bucketId: number) {
  const [found, sum] = await Promise.all([findPacking(read, bucketId), packs.sumWaiting(read, bucketId)])
  const { contents, bytes, oldestMs } = sum
  const message = contents === 0 ? undefined : describeWait(sum, await limits.of(bucketId), clock.now())
  return {
    packing: found?.packing ?? 'off',
    erase_within_days: found?.eraseWithinDays ?? 0,
    waiting: { contents, bytes, ...(message !== undefined && { message }) },
    oldestMs,
  } as const
}
