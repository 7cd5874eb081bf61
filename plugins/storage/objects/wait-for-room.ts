import type { Clock } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { Keepers } from '../contents/keepers.ts'
import { isNoRoom } from '../contract.ts'
import type { PartLimits } from './size-policy.ts'

export interface RoomDeps {
  readonly clock: Clock
  readonly cache: Pick<Cache, 'stats'>
  readonly keepers: Pick<Keepers, 'lastMovedMs'>
  readonly parts: PartLimits
}

interface Attempt<T> {
  readonly attempt: () => T | Promise<T>
  readonly signal: AbortSignal | undefined
}

/**
 * Repeats an attempt that fails with `cache_full` or `cache_busy`, as long as bytes may be evicted: until nothing has moved to copies for a
 * while, because then nothing becomes evictable. Each attempt requests an eviction.
 */
export async function waitForRoom<T>({ cache, clock, keepers, parts }: RoomDeps, { attempt, signal }: Attempt<T>): Promise<T> {
  const { roomWaitMs, roomWaitMsMax, roomPollMs } = parts
  const startMs = clock.now()
  const endMs = () => Math.min(Math.max(startMs, keepers.lastMovedMs()) + roomWaitMs, startMs + roomWaitMsMax)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isNoRoom(error) || cache.stats().evictionPolicy === 'none' || clock.now() >= endMs()) throw error
      await clock.sleep(roomPollMs, signal)
    }
  }
}
