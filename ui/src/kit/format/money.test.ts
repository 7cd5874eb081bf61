import { describe, expect, test } from 'vitest'
import { formatMoney } from './money.ts'

describe('amounts of base units', () => {
  test.each([
    ['0', '0'],
    ['1940000000000000001', '1.94'],
    ['1999999999999999999', '1.9999'],
    ['1234567890000000000000', '1,234.5678'],
    ['12000000000000000000', '12'],
    ['99999999999999', '< 0.0001'],
    ['-1500000000000000000', '-1.5'],
    ['123456789012345678901234567890123456789', '123,456,789,012,345,678,901.2345'],
  ])('%s shows as %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text)
  })

  test('tokens may have other decimals', () => {
    expect([formatMoney('1234567', { decimals: 6 }), formatMoney('5', { decimals: 0, digits: 0 })]).toEqual(['1.2345', '5'])
  })

  test.each([
    ['1', '0.0001'],
    ['100000000000000', '0.0001'],
    ['100000000000001', '0.0002'],
    ['1999999999999999999', '2'],
    ['0', '0'],
  ])('a price of %s shows as %s, never as less', (amount, text) => {
    expect(formatMoney(amount, { up: true })).toBe(text)
  })

  test('an amount that is absent or no number shows a dash', () => {
    expect([null, undefined, '', '1.5', '0x10'].map((amount) => formatMoney(amount))).toEqual(['—', '—', '—', '—', '—'])
  })
})
