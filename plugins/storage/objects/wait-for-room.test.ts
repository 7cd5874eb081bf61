import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import type { CacheStats } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { waitForRoom } from './wait-for-room.ts'

const parts = { bytesMax: 1024, roomWaitMs: 1000, roomWaitMsMax: 5000, roomPollMs: 100 }

/** Waits until there is room at `roomAtMs`; copies move until `movingUntilMs`. Returns when the wait ended, and how. */
async function wait({ roomAtMs = Number.POSITIVE_INFINITY, movingUntilMs = 0, policy = 'lru' as CacheStats['evictionPolicy'] }) {
  const clock = createFakeClock(0)
  const stats: CacheStats = { usedBytes: 0, reservedBytes: 0, maxBytes: 0, evictionPolicy: policy, isEvictionPaused: false }
  const waiting = waitForRoom(
    { clock, parts, cache: { stats: () => stats }, keepers: { lastMovedMs: () => Math.min(clock.now(), movingUntilMs) } },
    {
      attempt() {
        if (clock.now() < roomAtMs) throw storageErrors.cache_busy({ message: 'full', retryAfterSeconds: 5 })
        return 'room'
      },
      signal: undefined,
    },
  ).then(
    (end) => ({ end, atMs: clock.now() }),
    (error) => ({ end: error.code, atMs: clock.now() }),
  )
  await clock.advance(10_000)
  return waiting
}

test('a put waits for room until nothing has moved to copies for the whole wait', async () => {
  expect(await wait({})).toEqual({ end: 'cache_busy', atMs: 1000 })
  expect(await wait({ movingUntilMs: 2500 })).toEqual({ end: 'cache_busy', atMs: 3500 })
  expect(await wait({ movingUntilMs: 2500, roomAtMs: 3300 })).toEqual({ end: 'room', atMs: 3300 })
})

test('a put waits at most a bounded time while other contents move', async () => {
  expect(await wait({ movingUntilMs: 9000 })).toEqual({ end: 'cache_busy', atMs: 5000 })
})

test('a put does not wait when nothing is ever evicted', async () => {
  expect(await wait({ policy: 'none', movingUntilMs: 9000 })).toEqual({ end: 'cache_busy', atMs: 0 })
})
