import { expect, test } from 'vitest'
import { createChunkBudget, type RestingReader, type Slot } from './chunk-budget.ts'

const { signal } = new AbortController()
/** Long enough never to matter. */
const far = 3_600_000
const limits = { slotsMax: 2, waitersMax: 3, slotWait: far, hold: 0, reclaimPoll: far }

test('slots are given in the order in which they were asked for, and never more than the limit', async () => {
  const budget = createChunkBudget(limits)
  const first = await budget.take(signal)
  await budget.take(signal)
  const given: string[] = []
  const wait = async (name: string) => {
    const slot = await budget.take(signal)
    given.push(name)
    return slot
  }
  const waiting = [wait('a'), wait('b')]
  expect(budget.tryTake(0)).toBeUndefined()
  first.release()
  const next = await (waiting[0] as Promise<Slot>)
  expect([given, budget.usedSlots]).toEqual([['a'], 2])
  // Twice is once.
  first.release()
  expect([given, budget.usedSlots]).toEqual([['a'], 2])
  next.release()
  await waiting[1]
  expect(given).toEqual(['a', 'b'])
})

test('a reader that leaves the queue takes no slot with it', async () => {
  const budget = createChunkBudget({ ...limits, slotsMax: 1 })
  const slot = await budget.take(signal)
  const gone = new AbortController()
  const left = budget.take(gone.signal)
  const stays = budget.take(signal)
  gone.abort(new Error('gone'))
  slot.release()
  await expect(left).rejects.toThrow('gone')
  const given = await stays
  expect(budget.usedSlots).toBe(1)
  given.release()
  expect(budget.usedSlots).toBe(0)
})

test('without a slot in time, and with too many before it, a reader is refused', async () => {
  const late = createChunkBudget({ ...limits, slotsMax: 1, slotWait: 1 })
  const slot = await late.take(signal)
  await expect(late.take(signal)).rejects.toMatchObject({ code: 'remote_reads_busy', status: 503, retryAfterSeconds: 5 })
  slot.release()
  expect(late.usedSlots).toBe(0)
  const full = createChunkBudget({ ...limits, slotsMax: 1, waitersMax: 0 })
  await full.take(signal)
  await expect(full.take(signal)).rejects.toMatchObject({ code: 'remote_reads_busy' })
})

test('a slot that is left out when memory gets short is not given while readers wait or few are free', async () => {
  const budget = createChunkBudget({ ...limits, slotsMax: 4 })
  await budget.take(signal)
  expect(budget.tryTake(2)).toBeDefined()
  expect(budget.tryTake(2)).toBeUndefined()
  expect(budget.tryTake(0)).toBeDefined()
})

test('the reader that holds its chunk the longest gives it back to one that waits; one whose client reads keeps it', async () => {
  const budget = createChunkBudget({ ...limits, slotsMax: 3 })
  const holders = await Promise.all([0, 1, 2].map(() => budget.take(signal)))
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
  await budget.take(signal)
  await budget.take(signal)
  expect(gaveBack).toEqual([1, 0])
})

test('memory of a released slot serves the next one', async () => {
  const budget = createChunkBudget(limits)
  const slot = await budget.take(signal)
  const { bytes } = slot
  slot.release()
  expect((await budget.take(signal)).bytes).toBe(bytes)
})
