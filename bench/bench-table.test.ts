import { expect, test } from 'vitest'
import { median, renderBenchTable } from './bench-table.ts'

test('a table is text with aligned values and notes', () => {
  const rows = [
    { label: 'one', value: 1, unit: 'MB/s', note: 'the yardstick' },
    { label: 'another way', value: 1234.56, unit: 's' },
  ]
  expect(renderBenchTable({ name: 'speed', rows })).toBe(
    ['speed', '  one             1.0 MB/s  the yardstick', '  another way  1234.6 s', ''].join('\n'),
  )
})

test('the median is the middle value, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(() => median([])).toThrow(RangeError)
})
