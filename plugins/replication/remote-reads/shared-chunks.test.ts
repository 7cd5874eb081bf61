import { expect, test } from 'vitest'
import type { ChunkBudget } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'
import { type ChunkFetch, createSharedChunks } from './shared-chunks.ts'

test('a chunk that waits for memory is not leased ahead, so that no reader holds later chunks while it waits', async () => {
  const memory = Promise.withResolvers<Slot>()
  const slot = { bytes: Buffer.from('a chunk'), release() {} } as unknown as Slot
  const budget: Pick<ChunkBudget, 'take' | 'tryTake'> = { take: () => memory.promise, tryTake: () => undefined }
  const chunks = createSharedChunks(budget as ChunkBudget)
  const fetch: ChunkFetch = { length: 7, fetch: async (given) => given }
  const first = chunks.lease('1', fetch)
  expect(chunks.tryLease('1', fetch, 0)).toBeUndefined()
  memory.resolve(slot)
  expect(await first.bytes).toBe(slot.bytes)
  expect(await chunks.tryLease('1', fetch, 0)?.bytes).toBe(slot.bytes)
})
