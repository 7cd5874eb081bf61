import { expect, test } from 'vitest'
import { Ring } from './ring.ts'

const add = (ring: Ring, step: number, sum: number) => {
  ring.enter(step)
  ring.add(step, 'a', { coveredMs: 20_000, sums: [sum] })
}
const read = (ring: Ring, first: number, count = 1) => ring.read('a', first, count)

test('steps are added up; those without a measurement say nothing', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  add(ring, 100, 5)
  add(ring, 102, 7)
  expect(read(ring, 100, 3)).toEqual({ coveredMs: 40_000, sums: [12] })
  expect(read(ring, 101)).toBeUndefined()
  expect(ring.read('b', 100, 3)).toBeUndefined()
})

test('the newest steps take the place of the oldest ones, and the memory does not grow', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  add(ring, 0, 1)
  const { bytes } = ring
  expect(bytes).toBe(3 * 10 * 8)
  for (let step = 1; step < 1000; step++) add(ring, step, step)
  expect(ring.bytes).toBe(bytes)
  expect(read(ring, 989)).toBeUndefined()
  expect(read(ring, 990, 10)).toEqual({ coveredMs: 200_000, sums: [9945] })
})

test('after a step back of the clock a step has the mean of both times', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  add(ring, 100, 4)
  add(ring, 105, 9)
  add(ring, 100, 6)
  expect(read(ring, 100)).toEqual({ coveredMs: 40_000, sums: [10] })
})

test('what a wrong clock left in the future is gone when the time comes', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  add(ring, 105, 9)
  add(ring, 100, 6)
  for (let step = 101; step <= 105; step++) add(ring, step, 1)
  expect(read(ring, 105)).toEqual({ coveredMs: 20_000, sums: [1] })
})

test('a clock that was far ahead for a moment hides nothing when it is back', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  for (let step = 100; step < 108; step++) add(ring, step, step)
  add(ring, 1_000_008, 1)
  add(ring, 108, 108)
  expect(read(ring, 100, 9)).toEqual({ coveredMs: 180_000, sums: [936] })
})

test('stored steps are restored, except of figures that have other columns now', () => {
  const ring = new Ring({ stepMs: 20_000, steps: 10 })
  add(ring, 100, 5)
  ring.add(100, 'wide', { coveredMs: 20_000, sums: [1, 2] })
  const stored = JSON.parse(JSON.stringify(ring.take(99, 3)))
  const later = new Ring({ stepMs: 20_000, steps: 10 })
  later.restore(99, stored, new Map(Object.entries({ a: 1, wide: 3 })))
  expect(read(later, 99, 3)).toEqual({ coveredMs: 20_000, sums: [5] })
  expect(later.read('wide', 99, 3)).toBeUndefined()
})
