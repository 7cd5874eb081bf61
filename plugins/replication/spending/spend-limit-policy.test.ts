import { expect, test } from 'vitest'
import { costPolicy } from '#plugins/wallet'
import type { SpendUse } from '../contract.ts'
import { periodsAt, whyAboveLimit } from './spend-limit-policy.ts'

const policy = await costPolicy()
const unit = 10n ** 18n

const daily = (use: Partial<SpendUse>): SpendUse => ({
  period: 'daily',
  limit: 10n * unit,
  fees: 0n,
  storage: 0n,
  endsAtMs: Date.UTC(2026, 10, 26),
  ...use,
})

test.each([
  ['2026-11-25T00:00:00.000Z', '2026-11-25', '2026-11-26', '2026-11-01', '2026-12-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01', '2026-12-01', '2027-01-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-29', '2028-03-01', '2028-02-01', '2028-03-01'],
])('%s is in its UTC day and month', (at, dayStart, dayEnd, monthStart, monthEnd) => {
  const periods = periodsAt(Date.parse(at))
  const days = [periods.daily, periods.monthly].flatMap(({ startMs, endMs }) => [startMs, endMs])
  expect(days.map((ms) => new Date(ms).toISOString())).toEqual([dayStart, dayEnd, monthStart, monthEnd].map((day) => `${day}T00:00:00.000Z`))
})

test('work that reaches the limit exactly is allowed, and one unit more waits', () => {
  const use = daily({ fees: 4n * unit, storage: 5n * unit })
  expect(whyAboveLimit([use], { fees: unit, ratePerEpoch: 0n }, policy)).toBeUndefined()
  expect(whyAboveLimit([use], { fees: unit + 1n, ratePerEpoch: 0n }, policy)).toBe(
    'chain.spend_limit_daily is 10 USDFC, of which 9 are used, and this work needs 1.000001; it continues when the limit is raised, or after 2026-11-26T00:00:00.000Z if the fees of the period reached it',
  )
})

test('the rate of planned work counts for the whole day or month', () => {
  const planned = { fees: 0n, ratePerEpoch: 1n }
  expect(whyAboveLimit([daily({ limit: 2880n })], planned, policy)).toBeUndefined()
  expect(whyAboveLimit([daily({ limit: 2879n })], planned, policy)).toContain('spend_limit_daily')
  expect(whyAboveLimit([daily({ period: 'monthly', limit: 86_399n })], planned, policy)).toContain('spend_limit_monthly')
})

test('without a limit nothing waits, and with one an unreadable account does', () => {
  const planned = { fees: unit, ratePerEpoch: 0n }
  expect(whyAboveLimit([daily({ limit: undefined, storage: undefined })], planned, policy)).toBeUndefined()
  expect(whyAboveLimit([daily({ storage: undefined })], planned, policy)).toContain('cannot be read')
})
