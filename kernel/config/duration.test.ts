import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

test.each([
  ['5s', 5000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['1.5s', 1500],
  ['168h', 604_800_000],
  ['0s', 0],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '-5s', '5d', '5s!', '1e3s'])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

test('a formatted duration parses to the same value', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => void expect(parseDuration(formatDuration(ms))).toBe(ms)))
})
