import type { ObjectDeps } from './objects.ts'

const noRoomCodes: readonly unknown[] = ['cache_full', 'cache_busy']

interface Attempt<T> {
  readonly attempt: () => T | Promise<T>
  readonly signal: AbortSignal | undefined
}

/** Repeats an attempt that fails with `cache_full` or `cache_busy`, as long as bytes may be evicted. Each attempt requests an eviction. */
export async function waitForRoom<T>(
  { cache, clock, parts: { roomWaitMs, roomPollMs } }: Pick<ObjectDeps, 'cache' | 'clock' | 'parts'>,
  { attempt, signal }: Attempt<T>,
): Promise<T> {
  const endMs = clock.now() + roomWaitMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const isNoRoom = noRoomCodes.includes((error as { readonly code?: unknown }).code)
      if (!isNoRoom || cache.stats().evictionPolicy === 'none' || clock.now() >= endMs) throw error
      await clock.sleep(roomPollMs, signal)
    }
  }
}
