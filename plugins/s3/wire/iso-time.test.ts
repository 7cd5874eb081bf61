import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from './iso-time.ts'

const timeMax = 8_640_000_000_000_000

test('every time reads as Date writes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -timeMax, max: timeMax }), fc.integer({ min: -90_000_000, max: 90_000_000 }), (time, step) => {
      const near = Math.max(-timeMax, Math.min(timeMax, time + step))
      for (const ms of [time, near, 0, -1, 1_795_000_000_000 + step]) expect(isoTime(ms)).toBe(new Date(ms).toISOString())
    }),
  )
})

test('a time that Date refuses is refused, and the next one reads right', () => {
  expect(() => isoTime(timeMax + 1)).toThrow(RangeError)
  expect(() => isoTime(Number.NaN)).toThrow(RangeError)
  expect(isoTime(1_795_000_000_123)).toBe(new Date(1_795_000_000_123).toISOString())
})
