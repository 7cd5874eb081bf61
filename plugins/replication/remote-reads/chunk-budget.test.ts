import { expect, test } from 'vitest'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { type ChunkBudget, createChunkBudget, type IdleReader } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'

const { signal } = new AbortController()
/** Never reached by a test. */
const far = 3_600_000
const limits = { bytesMax: 2 * chunkRawBytes, waitersMax: 3, memoryWait: far, hold: 0, reclaimPoll: far }

const take = (budget: ChunkBudget) => budget.take(chunkRawBytes, signal)

test('slots are granted in request order and never exceed the limit', async () => {
  const budget = createChunkBudget(limits)
  const first = await take(budget)
  await take(budget)
  const given: string[] = []
  const wait = async (name: string) => {
    const slot = await take(budget)
    given.push(name)
    return slot
  }
  const waiting = [wait('a'), wait('b')]
  expect(budget.tryTake(chunkRawBytes, 0)).toBeUndefined()
  first.release()
  const next = await (waiting[0] as Promise<Slot>)
  expect([given, budget.usedBytes]).toEqual([['a'], 2 * chunkRawBytes])
  // A second release changes nothing.
  first.release()
  expect([given, budget.usedBytes]).toEqual([['a'], 2 * chunkRawBytes])
  next.release()
  await waiting[1]
  expect(given).toEqual(['a', 'b'])
})

test('a reader that aborts while it waits leaks no slot', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: chunkRawBytes })
  const slot = await take(budget)
  const stop = new AbortController()
  const aborted = budget.take(chunkRawBytes, stop.signal)
  const next = take(budget)
  stop.abort(new Error('aborted'))
  slot.release()
  await expect(aborted).rejects.toThrow('aborted')
  const given = await next
  expect(budget.usedBytes).toBe(chunkRawBytes)
  given.release()
  expect(budget.usedBytes).toBe(0)
})

test('a reader is refused after the memory wait, and at once when too many wait', async () => {
  const late = createChunkBudget({ ...limits, bytesMax: chunkRawBytes, memoryWait: 1 })
  const slot = await take(late)
  await expect(take(late)).rejects.toMatchObject({ code: 'remote_reads_busy', status: 503, retryAfterSeconds: 5 })
  slot.release()
  expect(late.usedBytes).toBe(0)
  const full = createChunkBudget({ ...limits, bytesMax: chunkRawBytes, waitersMax: 0 })
  await take(full)
  await expect(take(full)).rejects.toMatchObject({ code: 'remote_reads_busy' })
})

test('a prefetch gets no slot while readers wait or less than keepFree would remain', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: 4 * chunkRawBytes })
  await take(budget)
  expect(budget.tryTake(chunkRawBytes, 2 * chunkRawBytes)).toBeDefined()
  expect(budget.tryTake(chunkRawBytes, 2 * chunkRawBytes)).toBeUndefined()
  expect(budget.tryTake(chunkRawBytes, 0)).toBeDefined()
})

test('a waiting reader gets the chunks of idle readers, longest held first; an active reader keeps its chunk', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: 3 * chunkRawBytes })
  const holders = await Promise.all([0, 1, 2].map(() => take(budget)))
  const released: number[] = []
  const readers: readonly IdleReader[] = holders.map((slot, at) => ({
    heldSinceMs: 3 - at,
    releaseChunks() {
      released.push(at)
      slot.release()
    },
  }))
  for (const reader of readers) budget.pause(reader)
  budget.resume(readers[2] as IdleReader)
  await take(budget)
  await take(budget)
  expect(released).toEqual([1, 0])
})

test('the buffer of a released slot is reused', async () => {
  const budget = createChunkBudget(limits)
  const slot = await take(budget)
  const { bytes } = slot
  slot.release()
  expect((await take(budget)).bytes).toBe(bytes)
})

test('short chunks count their own bytes and do not overtake a longer one that waits', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: chunkRawBytes + 100_000 })
  const short = await budget.take(100_000, signal)
  expect([budget.usedBytes, short.bytes.length]).toEqual([100_000, 100_000])
  // A tiny chunk counts a minimum, which bounds the number of requests.
  const tiny = await budget.take(1, signal)
  expect([budget.usedBytes, tiny.bytes.length]).toEqual([100_000 + 16 * 1024, 1])
  const stop = new AbortController()
  const long = budget.take(chunkRawBytes, stop.signal)
  const behind = budget.take(1, signal)
  expect(budget.tryTake(1, 0)).toBeUndefined()
  stop.abort(new Error('aborted'))
  await expect(long).rejects.toThrow('aborted')
  await behind
  expect(budget.usedBytes).toBe(100_000 + 2 * 16 * 1024)
})
