import { describe, expect, test } from 'vitest'
import { formatExactMoney, formatMoney, parseMoney } from './money.ts'

describe('amounts of base units', () => {
  test.each([
    ['0', '0'],
    ['1940000000000000001', '1.94'],
    ['1999999999999999999', '1.9999'],
    ['1234567890000000000000', '1,234.5678'],
    ['12000000000000000000', '12'],
    ['99999999999999', '< 0.0001'],
    ['-1500000000000000000', '-1.5'],
  ])('%s shows as %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text)
  })

  test('digits beyond 2^53 survive', () => {
    expect(formatExactMoney('123456789012345678901234567890123456789')).toBe('123456789012345678901.234567890123456789')
  })

  test('tokens may have other decimals', () => {
    expect([formatMoney('1234567', { decimals: 6 }), formatMoney('5', { decimals: 0, digits: 0 }), formatExactMoney('-1', 2)]).toEqual([
      '1.2345',
      '5',
      '-0.01',
    ])
  })

  test('an amount that is absent or no number shows a dash', () => {
    expect([null, undefined, '', '1.5', '0x10'].map((amount) => formatMoney(amount))).toEqual(['—', '—', '—', '—', '—'])
  })
})

describe('typed amounts', () => {
  test.each([
    ['1', 10n ** 18n],
    [' 0.5 ', 5n * 10n ** 17n],
    ['0.000000000000000001', 1n],
  ])('%s is read', (text, units) => {
    expect(parseMoney(text)).toBe(units)
  })

  test.each(['', '-1', '1e3', '.5', '1.', '1,5', '0.0000000000000000001', 'NaN', '１'])('%j is refused', (text) => {
    expect(parseMoney(text)).toBeUndefined()
  })

  test('what is shown in full can be read back', () => {
    for (const units of [1n, 10n ** 18n, 123_456_789_012_345_678_901n]) expect(parseMoney(formatExactMoney(units))).toBe(units)
  })
})
