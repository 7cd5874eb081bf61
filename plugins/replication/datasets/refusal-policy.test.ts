import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextRequestAtMs, refusalPauseMs, refusalsPerWindowMax, refusalWindowMs } from './refusal-policy.ts'

test.each([
  [0, 2],
  [1, 2],
  [2, 4],
  [6, 64],
  [7, 120],
  [5000, 120],
])('after %d refusals in a row the next request waits %d epochs', (refusals, epochs) => {
  expect(refusalPauseMs({ epochMs: 30_000 }, refusals)).toBe(epochs * 30_000)
})

test('no minute has more refusals than the maximum, and after a minute without refusals a request may be sent at once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30_000), { maxLength: 60 }), (gaps) => {
      const refused: number[] = []
      let nowMs = 0
      for (const gap of gaps) {
        nowMs += gap
        const nextAtMs = nextRequestAtMs(refused, nowMs)
        if (nextAtMs === undefined) refused.push(nowMs)
        else expect(nextAtMs).toBeGreaterThan(nowMs)
      }
      for (const at of refused) {
        const window = refused.filter((other) => other > at - refusalWindowMs && other <= at)
        expect(window.length).toBeLessThanOrEqual(refusalsPerWindowMax)
      }
      expect(nextRequestAtMs(refused, nowMs + refusalWindowMs)).toBeUndefined()
    }),
  )
})
