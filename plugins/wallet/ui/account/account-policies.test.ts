import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lacksApproval, readAllowances } from './approval-words-policy.ts'
import { listFailedReads } from './failed-reads-policy.ts'
import { lockedShare, runwayPoints } from './runway-points-policy.ts'
import { type Account, adviseRunway, judgeRunway, runwayAfter, runwayText, topUpTo } from './runway-policy.ts'

const usdfc = 10n ** 18n
const day = 86_400

interface Facts {
  readonly available: bigint
  readonly perDay: bigint
  readonly debt?: bigint
}

const account = ({ available, perDay, debt = 0n }: Facts) =>
  ({
    available_funds: String(available),
    lockup_rate_per_day: String(perDay),
    deposit_for_90_days: String(perDay === 0n ? 0n : debt + perDay * 90n),
  }) as Account

describe('the runway', () => {
  test('is what is available over the rate, with a deposit, a withdrawal and a debt', () => {
    const ten = account({ available: 10n * usdfc, perDay: usdfc })
    expect([0n, 5n * usdfc, -4n * usdfc, -20n * usdfc].map((change) => runwayAfter(ten, change))).toEqual([10 * day, 15 * day, 6 * day, 0])
    expect(runwayAfter(account({ available: 0n, perDay: usdfc, debt: 2n * usdfc }), 5n * usdfc)).toBe(3 * day)
    expect(runwayAfter(account({ available: usdfc, perDay: 0n }), 0n)).toBeNull()
    expect(runwayAfter(account({ available: 10n ** 60n, perDay: 1n }), 0n)).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('a top-up to a number of days is the least deposit, to six decimals, that lasts as long', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 24n })
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 1n, max: 10n ** 22n }), fc.constantFrom(30, 90, 180), (available, perDay, days) => {
        const facts = account({ available, perDay })
        const missing = topUpTo(days, facts)
        expect(runwayAfter(facts, missing)).toBeGreaterThanOrEqual(days * day)
        expect(missing % 10n ** 12n).toBe(0n)
        if (missing > 0n) expect(available + missing - 10n ** 12n).toBeLessThan(perDay * BigInt(days))
      }),
    )
    expect(topUpTo(30, account({ available: 0n, perDay: usdfc, debt: usdfc }))).toBe(31n * usdfc)
  })

  test.each([
    [null, 'ok', 'Nothing is spent', undefined],
    [30 * day, 'ok', '30 days', undefined],
    [30 * day - 1, 'warning', '29 days', 'warning'],
    [7 * day, 'warning', '7 days', 'warning'],
    [7 * day - 1, 'serious', '6 days', 'danger'],
    [3 * 3600, 'serious', '3 hours', 'danger'],
    [600, 'serious', '10 minutes', 'danger'],
    [5, 'serious', 'Less than two minutes', 'danger'],
    [0, 'empty', 'Used up', 'danger'],
    [12_000 * day, 'ok', '12,000 days', undefined],
  ])('of %s seconds is %s', (seconds, level, text, tone) => {
    expect([judgeRunway(seconds), runwayText(seconds), adviseRunway(seconds)?.tone]).toEqual([level, text, tone])
  })
})

describe('the picture of the runway', () => {
  test('falls to zero within the picture, or leaves it at its right edge', () => {
    expect(runwayPoints(50 * day)).toMatchObject({ endX: 25, rightY: 0 })
    expect(runwayPoints(400 * day)).toMatchObject({ endX: 100, rightY: 50 })
    expect(runwayPoints(90 * day).marks.map(({ isMissed }) => isMissed)).toEqual([false, false, true])
  })

  test('shows the locked amount as a share, never too thin to be seen', () => {
    const share = (available: bigint, locked: bigint) => lockedShare({ available_funds: String(available), lockup_current: String(locked) })
    expect([share(3n, 1n), share(10n ** 30n, 1n), share(0n, 5n), share(5n, 0n)]).toEqual([25, 4, 60, 0])
  })
})

test('allowances are shown for 30 days, and a use of nine tenths is a warning', () => {
  const approval = { approved: true, rate_allowance: '10', lockup_allowance: String(2n ** 256n - 1n), rate_usage: '9', lockup_usage: '7' }
  const { rate, lockup } = readAllowances(approval, 30)
  expect(rate).toEqual({ used: 9n * 86_400n, allowed: 10n * 86_400n, isUnlimited: false, tone: 'warning' })
  expect(lockup).toMatchObject({ isUnlimited: true, tone: 'success' })
  const used = { ...approval, rate_usage: '11' }
  expect(readAllowances(used, 30).rate.tone).toBe('danger')
  expect([approval, used, { ...approval, approved: false }].map(lacksApproval)).toEqual([false, true, true])
})

test('reads that failed are named with their reason', () => {
  expect(listFailedReads({ fil_gas_balance: 'timeout', approval: 'RPC failure' })).toEqual([
    'FIL balance: timeout',
    'Approval: RPC failure',
  ])
  expect(listFailedReads(undefined)).toEqual([])
})
