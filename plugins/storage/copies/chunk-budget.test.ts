import { expect, test } from 'vitest'
import { CHUNK_RAW_BYTES } from '../pieces/piece-size.ts'
import { type ChunkBudget, createChunkBudget, type RestingReader } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'

const { signal } = new AbortController()
/** Long enough never to matter. */
const far = 3_600_000
const limits = { bytesMax: 2 * CHUNK_RAW_BYTES, waitersMax: 3, memoryWait: far, hold: 0, reclaimPoll: far }

const take = (budget: ChunkBudget) => budget.take(CHUNK_RAW_BYTES, signal)

test('slots are given in the order in which they were asked for, and never more than the limit', async () => {
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
  expect(budget.tryTake(CHUNK_RAW_BYTES, 0)).toBeUndefined()
  first.release()
  const next = await (waiting[0] as Promise<Slot>)
  expect([given, budget.usedBytes]).toEqual([['a'], 2 * CHUNK_RAW_BYTES])
  // Twice is once.
  first.release()
  expect([given, budget.usedBytes]).toEqual([['a'], 2 * CHUNK_RAW_BYTES])
  next.release()
  await waiting[1]
  expect(given).toEqual(['a', 'b'])
})

test('a reader that leaves the queue takes no slot with it', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: CHUNK_RAW_BYTES })
  const slot = await take(budget)
  const gone = new AbortController()
  const left = budget.take(CHUNK_RAW_BYTES, gone.signal)
  const stays = take(budget)
  gone.abort(new Error('gone'))
  slot.release()
  await expect(left).rejects.toThrow('gone')
  const given = await stays
  expect(budget.usedBytes).toBe(CHUNK_RAW_BYTES)
  given.release()
  expect(budget.usedBytes).toBe(0)
})

test('without a slot in time, and with too many before it, a reader is refused', async () => {
  const late = createChunkBudget({ ...limits, bytesMax: CHUNK_RAW_BYTES, memoryWait: 1 })
  const slot = await take(late)
  await expect(take(late)).rejects.toMatchObject({ code: 'remote_reads_busy', status: 503, retryAfterSeconds: 5 })
  slot.release()
  expect(late.usedBytes).toBe(0)
  const full = createChunkBudget({ ...limits, bytesMax: CHUNK_RAW_BYTES, waitersMax: 0 })
  await take(full)
  await expect(take(full)).rejects.toMatchObject({ code: 'remote_reads_busy' })
})

test('a slot that is left out when memory gets short is not given while readers wait or few are free', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: 4 * CHUNK_RAW_BYTES })
  await take(budget)
  expect(budget.tryTake(CHUNK_RAW_BYTES, 2 * CHUNK_RAW_BYTES)).toBeDefined()
  expect(budget.tryTake(CHUNK_RAW_BYTES, 2 * CHUNK_RAW_BYTES)).toBeUndefined()
  expect(budget.tryTake(CHUNK_RAW_BYTES, 0)).toBeDefined()
})

test('the reader that holds its chunk the longest gives it back to one that waits; one whose client reads keeps it', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: 3 * CHUNK_RAW_BYTES })
  const holders = await Promise.all([0, 1, 2].map(() => take(budget)))
  const gaveBack: number[] = []
  const readers: readonly RestingReader[] = holders.map((slot, at) => ({
    heldSinceMs: 3 - at,
    giveBack() {
      gaveBack.push(at)
      slot.release()
    },
  }))
  for (const reader of readers) budget.rest(reader)
  budget.resume(readers[2] as RestingReader)
  await take(budget)
  await take(budget)
  expect(gaveBack).toEqual([1, 0])
})

test('memory of a released slot serves the next one', async () => {
  const budget = createChunkBudget(limits)
  const slot = await take(budget)
  const { bytes } = slot
  slot.release()
  expect((await take(budget)).bytes).toBe(bytes)
})

test('short chunks count their own bytes, and none overtakes a longer one that waits', async () => {
  const budget = createChunkBudget({ ...limits, bytesMax: CHUNK_RAW_BYTES + 100_000 })
  const short = await budget.take(100_000, signal)
  expect([budget.usedBytes, short.bytes.length]).toEqual([100_000, 100_000])
  // A tiny one counts enough to bound the number of requests.
  const tiny = await budget.take(1, signal)
  expect([budget.usedBytes, tiny.bytes.length]).toEqual([100_000 + 16 * 1024, 1])
  const gone = new AbortController()
  const long = budget.take(CHUNK_RAW_BYTES, gone.signal)
  const behind = budget.take(1, signal)
  expect(budget.tryTake(1, 0)).toBeUndefined()
  gone.abort(new Error('gone'))
  await expect(long).rejects.toThrow('gone')
  await behind
  expect(budget.usedBytes).toBe(100_000 + 2 * 16 * 1024)
})
