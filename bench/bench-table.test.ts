import { expect, test } from 'vitest'
import { describeSpread, median, ratiosByRound, renderBenchTable } from './bench-table.ts'

test('a table is rendered as text with aligned values and notes', () => {
  const rows = [
    { label: 'one', value: 1, unit: 'MB/s', note: 'the yardstick' },
    { label: 'another way', value: 1234.56, unit: 's' },
    { label: 'missing', value: undefined, unit: 's', note: 'refused' },
  ]
  expect(renderBenchTable({ name: 'speed', rows })).toBe(
    ['speed', '  one             1.0 MB/s  the yardstick', '  another way  1234.6 s', '  missing           – s     refused', ''].join('\n'),
  )
})

test('the median is the middle value, in any input order', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(() => median([])).toThrow(RangeError)
})

test('ratios compare values of the same round, and a spread names the extremes', () => {
  expect(ratiosByRound([1, 30], [2, 40])).toEqual([0.5, 0.75])
  expect(describeSpread([3, 1.26, 2], 1)).toBe('1.3–3.0')
})
