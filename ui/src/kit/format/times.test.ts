import { describe, expect, test } from 'vitest'
import { formatAgo, formatDuration, formatExactTime } from './times.ts'

const now = Date.parse('2026-11-23T04:30:00Z')

describe('ages', () => {
  test.each([
    ['2026-11-23T04:29:55Z', 'just now'],
    ['2026-11-23T04:29:15Z', '45s ago'],
    ['2026-11-23T04:25:00Z', '5m ago'],
    ['2026-11-23T01:30:00.123456789Z', '2h ago'],
    ['2026-11-11T04:30:00Z', '12d ago'],
    ['2024-11-01T00:00:00Z', '2y ago'],
    ['2026-11-23T04:35:00Z', 'in 5m'],
  ])('%s is %s', (time, text) => {
    expect(formatAgo(time, now)).toBe(text)
  })

  test('absent and unreadable times show a dash', () => {
    expect([null, undefined, '', 'yesterday'].map((time) => formatAgo(time, now))).toEqual(['—', '—', '—', '—'])
  })

  test('titles have the exact time', () => {
    expect([formatExactTime('2026-11-23T05:30:00+01:00'), formatExactTime(1e300), formatExactTime(null)]).toEqual([
      '2026-11-23 04:30:00 UTC',
      '—',
      '—',
    ])
  })
})

test.each([
  [0, '0s'],
  [0.25, '250 ms'],
  [42, '42s'],
  [185, '3m 5s'],
  [7200, '2h'],
  [7800, '2h 10m'],
  [47 * 86_400 + 5, '47 days'],
])('%s seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test('a duration that is absent or endless shows a dash', () => {
  expect([formatDuration(undefined), formatDuration(Number.POSITIVE_INFINITY)]).toEqual(['—', '—'])
})
