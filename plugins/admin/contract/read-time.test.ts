import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTime } from './read-time.ts'

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.1Z', '2026-01-31T12:00:00.100Z'],
  ['2026-01-31T12:00:00.123000000Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00.123000001Z', '2026-01-31T12:00:00.124Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T23:30:00-01:30', '2026-02-01T01:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(readTime(text)).toBe(Date.parse(time))
})

test.each([
  '',
  'now',
  '2026-01-31',
  '2026-01-31T12:00:00',
  '2026-01-31 12:00:00Z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:00:60Z',
  '2026-01-31T12:00:00.Z',
  '2026-01-31T12:00:00+24:00',
  '2026-01-31T12:00:00Z extra',
  ' 2026-01-31T12:00:00Z',
])('"%s" is not a time', (text) => {
  expect(readTime(text)).toBeUndefined()
})

test('every time that JavaScript formats is read back', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      expect(readTime(date.toISOString())).toBe(date.getTime())
    }),
  )
})
