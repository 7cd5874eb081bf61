import { expect, test } from 'vitest'
import { shareText, sizeText } from './size-text-policy.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [2 ** 30 * 1.5, '1.50 GiB'],
  [2 ** 40, '1.00 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [1, 8, '12.5%'],
  [0, 8, '0.0%'],
  [1, 0, 'n/a'],
])('%d of %d is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})
