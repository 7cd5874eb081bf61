import { expect, test } from 'vitest'
import { createPace, nextCheckMs } from './pace.ts'

const second = 1000
const minute = 60 * second
/** Epoch length of the public networks. */
const epochMs = 30 * second

test('on the public networks: batching window 3 s, provider handling time 5 min, operator attention after 30 min', () => {
  expect(createPace(epochMs)).toMatchObject({
    batchingWindowMs: 3 * second,
    parkingMs: second,
    pullMs: 5 * second,
    providerMs: 30 * second,
    fundingMs: minute,
    handlingMs: 5 * minute,
    attentionMs: 30 * minute,
  })
})

test('a chain with short epochs gets short waits', () => {
  expect(createPace(second)).toMatchObject({ batchingWindowMs: 3 * second, parkingMs: 500, pullMs: 500, handlingMs: 10 * second })
  expect(createPace(100)).toMatchObject({ batchingWindowMs: 300, parkingMs: 50 })
})

test.each([epochMs, second, 100])('with epochs of %i ms an operator is called only after the handling time of the provider', (ms) => {
  const pace = createPace(ms)
  expect(pace.handlingMs).toBeLessThan(pace.attentionMs)
})

test('an open outcome is checked at growing intervals, without an end', () => {
  const pace = createPace(epochMs)
  const pauses = Array.from({ length: 100 }, (_, checks) => nextCheckMs(pace, checks))
  expect(pauses[0]).toBe(epochMs / 2)
  expect(pauses.at(-1)).toBe(epochMs * 20)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
})
