import { expect, test } from 'vitest'
import { createPace, nextCheckMs } from './pace.ts'

const second = 1000
const minute = 60 * second
/** Of the public networks. */
const epochMs = 30 * second

test('on the public networks: three seconds for company, five minutes for a provider, half an hour until an operator is asked', () => {
  expect(createPace(epochMs)).toMatchObject({
    lingerMs: 3 * second,
    parkingMs: second,
    pullMs: 5 * second,
    providerMs: 30 * second,
    fundingMs: minute,
    handlingMs: 5 * minute,
    attentionMs: 30 * minute,
  })
})

test('a fast chain is waited for in its own time', () => {
  expect(createPace(second)).toMatchObject({ lingerMs: 3 * second, parkingMs: 500, pullMs: 500, handlingMs: 10 * second })
  expect(createPace(100)).toMatchObject({ lingerMs: 300, parkingMs: 50 })
})

test.each([epochMs, second, 100])('with epochs of %i ms an operator is asked only after the provider had its time', (ms) => {
  const pace = createPace(ms)
  expect(pace.handlingMs).toBeLessThan(pace.attentionMs)
})

test('an open outcome is looked at often at first, then ever more rarely, and never given up', () => {
  const pace = createPace(epochMs)
  const pauses = Array.from({ length: 100 }, (_, checks) => nextCheckMs(pace, checks))
  expect(pauses[0]).toBe(epochMs / 2)
  expect(pauses.at(-1)).toBe(epochMs * 20)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
})
