import { expect, test } from 'vitest'
import { costPolicy } from '#plugins/wallet'
import { additionsOf, estimateRaise } from './estimate-raise-policy.ts'

const policy = await costPolicy()
const usdfc = 10n ** 18n
const prices = {
  storagePerTibPerMonth: 25n * 10n ** 17n,
  dataSetFeePerMonth: 12n * 10n ** 16n,
  createDataSetFee: 25n * 10n ** 15n,
  addPiecesBaseFee: 8n * 10n ** 15n,
  addPiecesPerPieceFee: 3n * 10n ** 15n,
  schedulePieceRemovalsFee: 0n,
  terminateFee: 0n,
  lifecycleReserveTarget: usdfc / 2n,
  replenishThreshold: 0n,
  lockupPeriodEpochs: 86_400n,
  cdnLockup: 0n,
}
const account = policy.settleAccount({ funds: 100n * usdfc, lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 0n }, 0n)

test('contents get a copy in each slot above their former target, and a slot without data set costs its creation', () => {
  const groups = [
    { targetCopies: 1, contents: 100, bytes: 0n, leaves: policy.leavesOf(127_000n) },
    { targetCopies: 2, contents: 10, bytes: 0n, leaves: policy.leavesOf(12_700n) },
  ]
  const sets = [0, 1].map((slot) => ({ chainId: String(slot), bytes: 254_000 }))
  const additions = additionsOf(groups, { copies: 3, sets, hasCdn: false }, policy)
  expect(additions.map(({ isNewDataSet, pieces, currentBytes, addedBytes }) => [isNewDataSet, pieces, currentBytes, addedBytes])).toEqual([
    [false, 100, 254_000n, 127_000n],
    [true, 110, 0n, 139_700n],
  ])
  const cost = estimateRaise(additions, { account, prices }, policy)
  // 3 calls of 40 pieces each, and one creation.
  expect(cost.fee).toBe(6n * prices.addPiecesBaseFee + 210n * prices.addPiecesPerPieceFee + prices.createDataSetFee)
  expect(cost.feeMax).toBe(210n * (prices.addPiecesBaseFee + prices.addPiecesPerPieceFee) + prices.createDataSetFee)
  expect(cost.lock).toBe(cost.ratePerEpoch * prices.lockupPeriodEpochs + prices.lifecycleReserveTarget)
  expect(cost.depositNeeded).toBe(0n)
})

test('a planned data set is created, and a raise of nothing costs nothing', () => {
  const groups = [{ targetCopies: 1, contents: 1, bytes: 127n, leaves: 4n }]
  const options = {
    copies: 2,
    sets: [
      { chainId: '1', bytes: 127 },
      { chainId: null, bytes: 0 },
    ],
    hasCdn: true,
  }
  expect(additionsOf(groups, options, policy)).toMatchObject([{ isNewDataSet: true, hasCdn: true, pieces: 1 }])
  expect(additionsOf([], options, policy)).toEqual([])
  expect(estimateRaise([], { account, prices }, policy)).toEqual({ fee: 0n, feeMax: 0n, lock: 0n, ratePerEpoch: 0n, depositNeeded: 0n })
})
