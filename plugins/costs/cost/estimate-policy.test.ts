import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costPolicy, type PriceList } from '#plugins/wallet'
import { estimate, noPlan, type Plan, piecesOfObjects } from './estimate-policy.ts'

const policy = await costPolicy()
const milli = 10n ** 15n
/** The prices of FilecoinWarmStorageService 1.4. */
const prices: PriceList = {
  storagePerTibPerMonth: 2500n * milli,
  dataSetFeePerMonth: 120n * milli,
  createDataSetFee: 25n * milli,
  addPiecesBaseFee: 8n * milli,
  addPiecesPerPieceFee: 3n * milli,
  schedulePieceRemovalsFee: 7n * milli,
  terminateFee: 6n * milli,
  lifecycleReserveTarget: 500n * milli,
  replenishThreshold: 25n * milli,
  lockupPeriodEpochs: 86_400n,
  cdnLockup: 1000n * milli,
}
const accountWith = (funds: bigint, lockupRate = 0n) =>
  policy.settleAccount({ funds, lockupCurrent: 0n, lockupRate, lockupLastSettledAt: 100n }, 100n)
const plan = (more: Partial<Plan>): Plan => ({ ...noPlan, kind: 'upload', ...more })
const of = (more: Partial<Plan>, account = accountWith(10n ** 21n)) => estimate(plan(more), { account, prices, hasCdn: false }, policy)

test('a first object in a new bucket with three copies costs three creations and additions, and locks three reserves and months', () => {
  const first = piecesOfObjects({ objects: 1, bytes: 1, pieceBytesMax: 1000 }, policy)
  expect(first).toEqual({ pieces: 1n, leaves: 4n })
  const { fee, feeMax, rate, lock, depositNeeded } = of({ ...first, targets: Array(3).fill({ leaves: undefined }) })
  expect(fee).toBe(3n * (25n + 8n + 3n) * milli)
  expect(feeMax).toBe(fee)
  const perSet = policy.storageRatePerEpoch(policy.billedBytes(4n), prices)
  expect(rate).toBe(3n * perSet)
  expect(lock).toBe(3n * (500n * milli + perSet * 86_400n))
  expect(depositNeeded).toBe(0n)
})

test('100 small objects share three calls, or have one each', () => {
  const { fee, feeMax } = of({ pieces: 100n, leaves: 400n, targets: [{ leaves: 4n }] })
  expect([fee, feeMax]).toEqual([(3n * 8n + 300n) * milli, (100n * 8n + 300n) * milli])
})

test('an object above the largest piece has several pieces', () => {
  expect(piecesOfObjects({ objects: 2, bytes: 2500, pieceBytesMax: 1000 }, policy)).toEqual({
    pieces: 6n,
    leaves: 2n * (2n * policy.leavesOf(1000n) + policy.leavesOf(500n)),
  })
})

test('the runway after an action is that of what is left, and money in or out of the account changes it', () => {
  const account = accountWith(1000n, 10n)
  expect(of({}, account).after).toEqual({ lockupRate: 10n, debt: 0n, runwayEpochs: 100n })
  expect(of({ deposit: 500n }, account).after.runwayEpochs).toBe(150n)
  expect(of({ deposit: -1001n }, account).after).toEqual({ lockupRate: 10n, debt: 1n, runwayEpochs: 0n })
  expect(of({}, accountWith(1000n)).after.runwayEpochs).toBeNull()
})

test('after the end of a replaced service its reserve is back and its rate is gone', () => {
  const account = accountWith(1000n, 10n)
  expect(of({}, account).afterEnd).toBeUndefined()
  expect(of({ replaced: { rate: 4n, reserve: 200n, advance: 70n } }, account)).toMatchObject({
    after: { lockupRate: 10n, runwayEpochs: 100n },
    afterEnd: { runwayEpochs: 200n },
  })
  expect(of({ replaced: { rate: 10n, reserve: 0n, advance: 0n } }, account).afterEnd).toEqual({ runwayEpochs: null })
})

test('a deposit pays the debt of an account first', () => {
  const account = policy.settleAccount({ funds: 0n, lockupCurrent: 100n, lockupRate: 10n, lockupLastSettledAt: 100n }, 110n)
  expect(account.debt).toBe(200n)
  expect(of({ deposit: 250n }, account).after).toEqual({ lockupRate: 10n, debt: 0n, runwayEpochs: 5n })
})

test('the rate that objects add is the difference of the rates of the contract, and amounts are never negative', () => {
  const sizes = fc.record({ objects: fc.integer({ min: 1, max: 1000 }), bytes: fc.integer({ min: 1, max: 10 ** 10 }) })
  fc.assert(
    fc.property(sizes, fc.bigInt({ min: 0n, max: 2n ** 50n }), (added, leaves) => {
      const { pieces, leaves: more } = piecesOfObjects({ ...added, pieceBytesMax: 1_065_353_216 }, policy)
      const result = of({ pieces, leaves: more, targets: [{ leaves }] })
      const rateOf = (count: bigint) => policy.storageRatePerEpoch(policy.billedBytes(count), prices)
      expect(result.rate).toBe(rateOf(leaves + more) - rateOf(leaves))
      for (const amount of [result.fee, result.lock, result.depositNeeded, result.feeMax - result.fee])
        expect(amount).toBeGreaterThanOrEqual(0n)
    }),
  )
})
