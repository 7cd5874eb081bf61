import { describe, expect, test } from 'vitest'
import { lastMonths } from './page/months-policy.ts'
import { shareOrders, sumShares, toShares } from './page/shares-policy.ts'
import { readWhole } from './page/whole-number-policy.ts'
import { type Estimate, priceRows } from './price/price-rows-policy.ts'
import { type Cost, fundedUntil, type Runway, runwayText } from './runway-policy.ts'

const runway = (facts: Partial<Runway>) => ({ seconds: 100 * 86_400, days: 100, level: 'ok', ...facts }) as Runway

test('the runway in words', () => {
  const texts = [
    runway({}),
    runway({ seconds: 5 * 3600, days: 0, level: 'serious' }),
    runway({ seconds: 0, days: 0, level: 'empty' }),
    runway({ seconds: null, days: null }),
    runway({ seconds: null, days: null, level: 'unknown' }),
    runway({ seconds: 100_000 * 86_400, days: 100_000 }),
  ].map(runwayText)
  expect(texts).toEqual(['100 days', '5 hours', 'Used up', 'Nothing is spent', 'Not known', '100,000 days'])
  expect(fundedUntil(runway({ funded_until: '2027-03-02T10:00:00Z' }))).toBe('until 2027-03-02')
})

const rate = (perEpoch: number) => ({ per_epoch: String(perEpoch), per_day: String(perEpoch * 2880), per_month: String(perEpoch * 86_400) })
const bucket = (name: string, perEpoch: number, reserve: string, data_sets = 1) => ({
  bucket_id: 1,
  name,
  rate: rate(perEpoch),
  locked: { reserve, advance: '1' },
  data_sets,
})
const none = { rate: rate(0), locked: { reserve: '0', advance: '0' } }
const cost = (facts: object) =>
  ({
    buckets: [bucket('b', 1, '10'), bucket('a', 3, '2', 2)],
    other_buckets: { count: 0, ...none },
    deleted_buckets: { data_sets: 0, ...none },
    foreign: { rails: 0, ...none },
    ...facts,
  }) as Cost

describe('the table of costs', () => {
  test('buckets are in the chosen order, what belongs to no bucket is last, and all of it adds up', () => {
    const rest = { rate: rate(5), locked: { reserve: '4', advance: '0' } }
    const full = cost({
      other_buckets: { count: 2, ...rest },
      deleted_buckets: { data_sets: 1, ...rest },
      foreign: { rails: 1, ...rest },
    })
    const shares = toShares(full, 'month')
    expect(shares.map(({ name }) => name)).toEqual(['a', 'b', '2 other buckets', 'Deleted buckets', 'Not of this gateway'])
    expect(sumShares(shares)).toEqual({ perEpoch: 19n, perDay: 19n * 2880n, perMonth: 19n * 86_400n, locked: 26n })
  })

  test('each order has its first bucket, and rows without an amount are left out', () => {
    const first = Object.fromEntries(
      (Object.keys(shareOrders) as (keyof typeof shareOrders)[]).map((order) => [order, toShares(cost({}), order)[0]?.name]),
    )
    expect(first).toEqual({ month: 'a', locked: 'b', sets: 'a', name: 'a' })
    expect(toShares(cost({}), 'month')).toHaveLength(2)
  })
})

const estimate = (facts: Partial<Estimate>) =>
  ({
    kind: 'upload',
    fee: '5',
    fee_max: '5',
    lock: '7',
    rate: rate(1),
    runway_before: runway({}),
    runway_after: runway({}),
    ...facts,
  }) as Estimate
const labels = (...input: Parameters<typeof priceRows>) => priceRows(...input).map(({ label }) => label)

describe('the rows of a price', () => {
  test('a range of fees has two rows, one fee has one, and what costs nothing says so', () => {
    expect(labels(estimate({ fee_max: '9' }))).toEqual(['Fee, once', 'Fee at most', 'Locked', 'Each month', 'Deposit lasts'])
    expect(labels(estimate({}))).toEqual(['Fee, once', 'Locked', 'Each month', 'Deposit lasts'])
    expect(priceRows(estimate({ kind: 'fund', fee: '0', fee_max: '0', lock: '0', rate: rate(0) }))[0]).toEqual({
      label: 'Price',
      value: { text: 'No storage fee' },
      note: 'gas is paid in FIL',
    })
  })

  test('the runway before is named only where it differs, and amounts that changed show the earlier ones', () => {
    const after = runway({ seconds: 90 * 86_400, days: 90 })
    expect(priceRows(estimate({ runway_after: after })).at(-1)).toMatchObject({ value: { text: '90 days' }, note: '100 days now' })
    expect(priceRows(estimate({})).at(-1)).not.toHaveProperty('note')
    const rows = priceRows(estimate({ fee: '6', fee_max: '6' }), estimate({}))
    expect(rows.map(({ was }) => was)).toEqual(['5', undefined, undefined, undefined])
  })

  test('a replacement also shows what the old service costs until and after its end', () => {
    const replaced = {
      rate: rate(2),
      locked: { reserve: '1', advance: '1' },
      paid_epochs_after_end: '86400',
      paid_days_after_end: 30,
      runway_after_end: runway({ seconds: 120 * 86_400, days: 120 }),
    }
    const rows = priceRows(estimate({ kind: 'replacement', replaced }))
    expect(rows.slice(3)).toMatchObject([
      { label: 'Deposit lasts', value: { text: '100 days' }, note: 'while both services are paid' },
      { label: 'Old service each month', value: { amount: rate(2).per_month }, note: 'until it has ended' },
      { label: 'Old service after its end', value: { text: 'paid for 30 days from its lock' } },
      { label: 'Deposit lasts then', value: { text: '120 days' }, note: 'with the new service only' },
    ])
  })
})

test('whole numbers are read with the usual separators and within their limits', () => {
  const limits = { min: 1, max: 1_000_000 }
  expect(['1', ' 1,000 ', '1_000', '1000000'].map((text) => readWhole(text, limits))).toEqual([1, 1000, 1000, 1_000_000])
  expect(['', '0', '1000001', '1.5', '1e3', '-1', '99999999999999999999'].map((text) => readWhole(text, limits))).toEqual(
    Array.from({ length: 7 }, () => undefined),
  )
})

test('the last months cross the year, also on the last day of a long month', () => {
  expect(lastMonths(Date.UTC(2027, 0, 31, 23), 3)).toEqual(['2027-01', '2026-12', '2026-11'])
})
