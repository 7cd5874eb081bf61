import { expect, test } from 'vitest'
import {
  billedBytes,
  dataSetCreationGate,
  epochsPerMonth,
  estimateAdditions,
  estimateRemoval,
  estimateTermination,
  type PriceList,
  settleAccount,
  storageRatePerEpoch,
  withdrawable,
} from './cost-policy.ts'

/** Base units of `usdfc` USDFC, given in hundred-thousandths. */
const usd = (usdfc: number) => BigInt(Math.round(usdfc * 100_000)) * 10n ** 13n
const prices: PriceList = {
  storagePerTibPerMonth: usd(2.5),
  dataSetFeePerMonth: usd(0.024),
  createDataSetFee: usd(0.025),
  addPiecesBaseFee: usd(0.0005),
  addPiecesPerPieceFee: usd(0.0003),
  schedulePieceRemovalsFee: usd(0.002),
  terminateFee: usd(0.00112),
  lifecycleReserveTarget: usd(0.1),
  replenishThreshold: usd(0.005),
  lockupPeriodEpochs: 86_400n,
  cdnLockup: usd(1),
}
const tib = 2n ** 40n
const idle = { funds: usd(10), lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 100n }

test.each([
  [{ funds: 1000n, lockupCurrent: 0n, lockupRate: 0n }, 50n, { available: 1000n, debt: 0n, runwayEpochs: null }],
  [{ funds: 1000n, lockupCurrent: 400n, lockupRate: 10n }, 0n, { available: 600n, debt: 0n, runwayEpochs: 60n }],
  [{ funds: 1000n, lockupCurrent: 400n, lockupRate: 10n }, 50n, { available: 100n, debt: 0n, runwayEpochs: 10n }],
  [{ funds: 1000n, lockupCurrent: 400n, lockupRate: 10n }, 60n, { available: 0n, debt: 0n, runwayEpochs: 0n }],
  [{ funds: 1000n, lockupCurrent: 400n, lockupRate: 10n }, 75n, { available: 0n, debt: 150n, runwayEpochs: 0n }],
])('the account %o is, %d epochs later, %o', (stored, elapsed, expected) => {
  expect(settleAccount({ ...stored, lockupLastSettledAt: 7n }, 7n + elapsed)).toMatchObject(expected)
})

test('an account settled after the given epoch owes nothing more', () => {
  expect(settleAccount({ ...idle, lockupRate: 5n }, 90n)).toMatchObject({ available: usd(10), debt: 0n })
})

test('the rate rounds each term down separately, and an empty data set costs nothing', () => {
  expect(storageRatePerEpoch(0n, prices)).toBe(0n)
  expect(storageRatePerEpoch(1n, prices)).toBe(usd(0.024) / epochsPerMonth + usd(2.5) / (tib * epochsPerMonth))
  expect(storageRatePerEpoch(tib, prices)).toBe(usd(2.5) / epochsPerMonth + usd(0.024) / epochsPerMonth)
})

test('billed bytes are the content of the leaves', () => {
  expect(billedBytes(4n)).toBe(127n)
})

test('creating a data set needs its reserve and a month of its fee available', () => {
  expect(dataSetCreationGate(prices)).toBe(usd(0.124))
  expect(dataSetCreationGate(prices, { hasCdn: true })).toBe(usd(1.124))
})

test('CDN retrieval locks its amount once per new data set, and nothing for further pieces', () => {
  const account = settleAccount({ ...idle, funds: 0n }, 100n)
  const addition = { isNewDataSet: true, currentBytes: 0n, addedBytes: 127n, pieces: 1 }
  const [plain, cdn] = [false, true].map((hasCdn) => {
    const additions = [
      { ...addition, hasCdn },
      { ...addition, hasCdn },
      { ...addition, hasCdn, isNewDataSet: false },
    ]
    return estimateAdditions(additions, prices, account)
  })
  expect([plain?.cdnLockup, cdn?.cdnLockup]).toEqual([0n, usd(2)])
  expect((cdn?.lockup ?? 0n) - (plain?.lockup ?? 0n)).toBe(usd(2))
  expect((cdn?.depositNeeded ?? 0n) - (plain?.depositNeeded ?? 0n)).toBe(usd(2))
  expect((cdn?.approvalNeed.lockup ?? 0n) - (plain?.approvalNeed.lockup ?? 0n)).toBe(usd(2))
})

test('an empty data set with CDN retrieval needs the amount that the contract checks at creation', () => {
  const empty = { isNewDataSet: true, hasCdn: true, currentBytes: 0n, addedBytes: 0n, pieces: 0 }
  const { depositNeeded, approvalNeed } = estimateAdditions([empty], prices, settleAccount({ ...idle, funds: usd(1) }, 100n))
  expect(depositNeeded).toBe(usd(0.125))
  expect(approvalNeed).toEqual({ ratePerEpoch: usd(0.024) / epochsPerMonth, lockup: usd(1.125) })
})

test.each([
  [{ lockupRate: 0n }, 1000n],
  [{ lockupRate: 3n }, 970n],
  [{ lockupRate: 100n }, 0n],
  [{ lockupRate: 3n, lockupCurrent: 980n }, 0n],
])('of 1000 on an account with %o, %d can be withdrawn', (changed, expected) => {
  const account = { funds: 1000n, lockupCurrent: 0n, lockupLastSettledAt: 5n, ...changed }
  expect(withdrawable(settleAccount(account, 5n))).toBe(expected)
})

test('two new data sets lock a reserve and a month of rate each, and pay their fees', () => {
  const account = settleAccount({ ...idle, funds: 0n }, 100n)
  const addition = { isNewDataSet: true, currentBytes: 0n, addedBytes: 127n, pieces: 1 }
  const estimate = estimateAdditions([addition, addition], prices, account)
  const rate = storageRatePerEpoch(127n, prices)
  expect(estimate.fees).toBe(2n * usd(0.0258))
  expect(estimate.lockup).toBe(2n * (usd(0.1) + rate * 86_400n))
  expect(estimate.rateIncreasePerEpoch).toBe(2n * rate)
  expect(estimate.depositNeeded).toBe(estimate.fees + estimate.lockup)
})

test('a call pays the base fee once, and nothing without pieces', () => {
  const account = settleAccount({ ...idle, funds: usd(1) }, 100n)
  const fees = [404, 0].map(
    (pieces) => estimateAdditions([{ isNewDataSet: false, currentBytes: tib, addedBytes: 0n, pieces }], prices, account).fees,
  )
  expect(fees).toEqual([usd(0.0005 + 404 * 0.0003), 0n])
})

test('more bytes on a data set lock only the difference in rate', () => {
  const account = settleAccount(idle, 100n)
  const { lockup, depositNeeded } = estimateAdditions(
    [{ isNewDataSet: false, currentBytes: tib, addedBytes: tib, pieces: 1 }],
    prices,
    account,
  )
  expect(lockup).toBe((storageRatePerEpoch(2n * tib, prices) - storageRatePerEpoch(tib, prices)) * 86_400n)
  expect(depositNeeded).toBe(0n)
})

test('an account in debt must clear it too, with a margin for the epochs in between', () => {
  const account = settleAccount({ funds: 100n, lockupCurrent: 100n, lockupRate: 3n, lockupLastSettledAt: 0n }, 10n)
  const estimate = estimateAdditions([{ isNewDataSet: false, currentBytes: tib, addedBytes: 1n, pieces: 1 }], prices, account)
  expect(estimate.depositNeeded).toBe(estimate.fees + estimate.lockup + 30n + (3n + estimate.rateIncreasePerEpoch) * 5n)
})

test('a removal is paid from the reserve, even in debt, until the reserve needs a refill', () => {
  const indebted = settleAccount({ funds: 0n, lockupCurrent: 0n, lockupRate: 1n, lockupLastSettledAt: 0n }, 10n)
  expect(estimateRemoval({ balance: usd(0.1), pending: 0n }, prices, indebted).depositNeeded).toBe(0n)
  const low = estimateRemoval({ balance: usd(0.006), pending: 0n }, prices, settleAccount({ ...idle, funds: 0n }, 100n))
  expect(low).toMatchObject({ fees: usd(0.002), lockup: usd(0.1 + 0.002 - 0.006), depositNeeded: usd(0.096) })
})

test('a relayed termination requires an account without debt', () => {
  const reserve = { balance: usd(0.1), pending: 0n }
  expect(estimateTermination(reserve, prices, settleAccount(idle, 100n)).depositNeeded).toBe(0n)
  const indebted = settleAccount({ funds: 0n, lockupCurrent: 0n, lockupRate: 2n, lockupLastSettledAt: 0n }, 10n)
  expect(estimateTermination(reserve, prices, indebted).depositNeeded).toBe(20n + 2n * 5n)
})
