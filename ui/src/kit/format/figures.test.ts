import { describe, expect, test } from 'vitest'
import { formatByteRate, formatBytes, formatExactBytes } from './bytes.ts'
import { formatCount, formatExactCount, formatPercent, formatPlural } from './counts.ts'

describe('bytes', () => {
  test.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1024, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [1024 ** 2 - 1, '1.0 MiB'],
    [1_065_353_216, '1,016.0 MiB'],
    ['1610612736', '1.5 GiB'],
    ['9007199254740993', '8.0 PiB'],
    ['1180591620717411303424', '1,024.0 EiB'],
    [-2048, '-2.0 KiB'],
  ])('%s is %s', (value, text) => {
    expect(formatBytes(value)).toBe(text)
  })

  test('absent values and texts that are no numbers show a dash', () => {
    expect([null, undefined, '', '12.5', 'abc', Number.NaN].map(formatBytes)).toEqual(['—', '—', '—', '—', '—', '—'])
  })

  test('titles have every byte', () => {
    expect([formatExactBytes('9007199254740993'), formatExactBytes(1)]).toEqual(['9,007,199,254,740,993 bytes', '1 byte'])
  })

  test('a measured rate has a fraction', () => {
    expect([formatByteRate(1536.4), formatByteRate(null)]).toEqual(['1.5 KiB/s', '—'])
  })
})

describe('counts', () => {
  test.each([
    [0, '0'],
    [9999, '9,999'],
    [10_000, '10K'],
    [18_204, '18.2K'],
    [999_949, '999.9K'],
    [999_950, '1M'],
    [3_400_000, '3.4M'],
    ['7000000000000000', '7,000T'],
    [-12_345, '-12.3K'],
  ])('%s is %s', (value, text) => {
    expect(formatCount(value)).toBe(text)
  })

  test('exact counts are grouped', () => {
    expect([formatExactCount(1_234_567), formatExactCount(-1000), formatExactCount(null)]).toEqual(['1,234,567', '-1,000', '—'])
  })

  test('words agree with their count', () => {
    expect([formatPlural(1, 'object'), formatPlural(2, 'object'), formatPlural(3, 'copy', 'copies')]).toEqual([
      '1 object',
      '2 objects',
      '3 copies',
    ])
  })

  test('only nothing is 0% and only the whole is 100%', () => {
    expect([
      formatPercent(0, 9),
      formatPercent(1, 100_000),
      formatPercent(1, 3),
      formatPercent(99_999, 100_000),
      formatPercent(9, 9),
    ]).toEqual(['0%', '< 0.1%', '33.3%', '> 99.9%', '100%'])
  })

  test('a share of nothing is absent', () => {
    expect([formatPercent(1, 0), formatPercent(null, 3), formatPercent(3, undefined)]).toEqual(['—', '—', '—'])
  })
})
