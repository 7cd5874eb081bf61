import { expect, test } from 'vitest'
import { costPolicy } from '#plugins/wallet'
import { healCost, healSeconds, medianRate } from './heal-policy.ts'

const rate = (bytesPerSecond: number | undefined) => ({ calls: 1, failed: 0, bytesPerSecond, lastAtMs: 0 })

test('the rate is the median of the measured providers: of their pulls, or of uploads where no pull was measured', () => {
  const scores = [
    { pull: rate(100), upload: rate(1) },
    { pull: rate(undefined), upload: rate(50) },
    { pull: undefined, upload: rate(9000) },
    { pull: undefined, upload: undefined },
    undefined,
  ]
  expect(medianRate(scores)).toEqual({ bytesPerSecond: 100, providers: 3 })
  expect(medianRate(scores.slice(0, 2))).toEqual({ bytesPerSecond: 50, providers: 2 })
  expect(medianRate([undefined])).toEqual({ bytesPerSecond: undefined, providers: 0 })
})

test('the time is that of the bytes, rounded up; without a measurement it is not known, unless nothing is to heal', () => {
  expect(healSeconds(101n, { bytesPerSecond: 100, providers: 1 })).toBe(2)
  expect(healSeconds(101n, { bytesPerSecond: undefined, providers: 0 })).toBeNull()
  expect(healSeconds(0n, { bytesPerSecond: undefined, providers: 0 })).toBe(0)
})

test('each bucket with something to heal costs a new data set and its pieces', async () => {
  const policy = await costPolicy()
  const prices = {
    storagePerTibPerMonth: 0n,
    dataSetFeePerMonth: 86_400n,
    createDataSetFee: 1000n,
    addPiecesBaseFee: 10n,
    addPiecesPerPieceFee: 1n,
    schedulePieceRemovalsFee: 0n,
    terminateFee: 0n,
    lifecycleReserveTarget: 500n,
    replenishThreshold: 0n,
    lockupPeriodEpochs: 2n,
    cdnLockup: 7n,
  }
  const account = policy.settleAccount({ funds: 0n, lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 0n }, 0n)
  const none = { contents: 0, versions: 0, bytes: 0n }
  const bucket = (pieces: number) => ({ pieces, leaves: BigInt(pieces) * 4n, all: none, lost: none })
  const cost = healCost([bucket(41), bucket(1), bucket(0)], { view: { account, prices }, hasCdn: true }, policy)
  expect(cost.fees).toBe(2n * 1000n + 3n * 10n + 42n)
  expect(cost.feeMax).toBe(2n * 1000n + 42n * 10n + 42n)
  expect(cost.rateIncreasePerEpoch).toBe(2n)
  expect(cost.lockup).toBe(2n * (2n + 500n + 7n))
  expect(cost.depositNeeded).toBe(cost.fees + cost.lockup)
})
