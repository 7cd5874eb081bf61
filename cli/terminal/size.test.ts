import { expect, test } from 'vitest'
import { formatShare, formatSize } from './size.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [2 ** 30 * 1.5, '1.50 GiB'],
  [2 ** 40, '1.00 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})

test.each([
  [1, 8, '12.5%'],
  [0, 8, '0.0%'],
  [1, 0, 'n/a'],
])('%d of %d is %s', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text)
})
