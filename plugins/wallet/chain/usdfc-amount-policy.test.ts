import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsdfc, parseUsdfc, roundUpUsdfc } from './usdfc-amount-policy.ts'

test.each([
  ['1', 10n ** 18n],
  ['5.0', 5n * 10n ** 18n],
  ['0.25', 25n * 10n ** 16n],
  ['007', 7n * 10n ** 18n],
  ['0.000000000000000001', 1n],
  ['123456789.123456789012345678', 123456789123456789012345678n],
])('%s USDFC are %s base units', (text, baseUnits) => {
  expect(parseUsdfc(text)).toEqual({ isValid: true, baseUnits })
})

const decimal = 'must be a decimal number of USDFC such as 5 or 0.25'

test.each([
  ['', decimal],
  [' 1', decimal],
  ['-1', decimal],
  ['+1', decimal],
  ['1e3', decimal],
  ['1,5', decimal],
  ['1_000', decimal],
  ['.5', decimal],
  ['5.', decimal],
  ['1.2.3', decimal],
  ['0x10', decimal],
  ['١', decimal],
  ['NaN', decimal],
  ['9'.repeat(59), decimal],
  ['0.0000000000000000001', 'must have at most 18 decimals'],
  ['0', 'must be more than 0'],
  ['0.000', 'must be more than 0'],
])('%j is rejected as an amount', (text, reason) => {
  expect(parseUsdfc(text)).toEqual({ isValid: false, reason })
})

test('a formatted amount parses to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 160n }), (baseUnits) => {
      expect(parseUsdfc(formatUsdfc(baseUnits))).toEqual({ isValid: true, baseUnits })
    }),
  )
  expect([formatUsdfc(0n), formatUsdfc(10n ** 18n), formatUsdfc(5n * 10n ** 17n)]).toEqual(['0', '1', '0.5'])
})

test('an amount to deposit is rounded up to six decimals', () => {
  expect([1n, 10n ** 12n, 10n ** 12n + 1n].map((amount) => formatUsdfc(roundUpUsdfc(amount)))).toEqual(['0.000001', '0.000001', '0.000002'])
})
