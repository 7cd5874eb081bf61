import { expect, test } from 'vitest'
import { formatTime } from './clock.ts'

const ofDate = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

test('times equal those of Date, also when they jump between days', () => {
  const edges = ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2024-02-29T23:59:59.500Z', '2024-03-01T00:00:00.000Z']
  for (const edge of [...edges, ...edges.toReversed(), '9999-12-31T23:59:59.999Z']) {
    const ms = Date.parse(edge)
    expect(formatTime(ms)).toBe(ofDate(ms))
  }
  const dayMs = 86_400_000
  for (let second = 0; second < dayMs / 1000; second += 61) {
    expect(formatTime(Date.UTC(2026, 0, 31) + 1000 * second)).toBe(ofDate(Date.UTC(2026, 0, 31) + 1000 * second))
  }
})

test('a time out of range is an error', () => {
  expect(() => formatTime(Number.NaN)).toThrow(RangeError)
})
