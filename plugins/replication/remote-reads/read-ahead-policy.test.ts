import { expect, test } from 'vitest'
import { nextOrder, type Order } from './read-ahead-policy.ts'

const chunkBytes = 1_000_000
const chunkOf = (byte: number) => Math.floor(byte / chunkBytes)
const limits = { gapBytes: 1000, runMin: 2, packAheadMax: 4 }

/** Follows reads of `[start, end]`, each with what is known of the one before. */
function follow(...reads: readonly (readonly [number, number])[]): readonly (Order | undefined)[] {
  let last: Order | undefined
  return reads.map(([start, end]) => {
    const next = nextOrder([last], { start, end, chunk: chunkOf(end) }, limits)
    last = next ?? last
    return next
  })
}

test('the third read in order fetches a chunk ahead, once, and each chunk that is entered doubles them up to the limit', () => {
  const step = chunkBytes / 2
  const wide = { ...limits, gapBytes: step }
  let last: Order | undefined
  const seen = Array.from({ length: 10 }, (_, at) => {
    const end = (at + 1) * step - 1
    last = nextOrder([last], { start: at * step, end, chunk: chunkOf(end) }, wide)
    return [last?.ahead, last?.isDue]
  })
  expect(seen).toEqual([
    [0, false],
    [0, false],
    [1, true],
    [1, false],
    [2, true],
    [2, false],
    [4, true],
    [4, false],
    [4, true],
    [4, false],
  ])
})

test('reads far from each other, and the same read again, fetch nothing ahead', () => {
  expect(follow([0, 99], [5000, 5099], [20_000, 20_099], [40_000, 40_099]).map((order) => order?.ahead)).toEqual([0, 0, 0, 0])
  expect(follow([0, 99], [0, 99], [0, 99], [0, 99]).slice(1)).toEqual([undefined, undefined, undefined])
})

test('a jump ends the order, and a read behind it does not', () => {
  const orders = follow([0, 99], [100, 199], [200, 299], [50, 149], [300, 399], [9000, 9099], [9100, 9199])
  expect(orders.map((order) => order?.ahead)).toEqual([0, 0, 1, undefined, 1, 0, 0])
})

test('readers that overtake each other within the gap are in order', () => {
  expect(follow([0, 99], [300, 399], [100, 199], [200, 299], [900, 999]).map((order) => order?.run)).toEqual([
    0,
    1,
    undefined,
    undefined,
    2,
  ])
})

test('the order of the chunk before is continued, also when the next chunk has another one', () => {
  const before = { end: chunkBytes - 1, chunk: 0, run: 5, ahead: 2, isDue: false }
  const range = { start: chunkBytes + 10, end: chunkBytes + 99, chunk: 1 }
  expect(nextOrder([undefined, undefined, before], range, limits)).toEqual({ end: range.end, chunk: 1, run: 6, ahead: 4, isDue: true })
  const other = { end: chunkBytes + 50, chunk: 1, run: 0, ahead: 0, isDue: false }
  expect(nextOrder([other, other, before], { start: chunkBytes, end: chunkBytes + 40, chunk: 1 }, limits)).toBeUndefined()
})
