import { expect, test } from 'vitest'
import { namePrices } from './price-list.ts'

const prices = {
  storagePerTibPerMonth: 25n,
  dataSetFeePerMonth: 12n,
  createDataSetFee: 3n,
  addPiecesBaseFee: 4n,
  addPiecesPerPieceFee: 5n,
  schedulePieceRemovalsFee: 6n,
  terminateFee: 7n,
  lifecycleReserveTarget: 8n,
  replenishThreshold: 9n,
  lockupPeriodEpochs: 10n,
  cdnLockup: 11n,
}

test('equal prices have one fingerprint, and each changed price has another', () => {
  const changed = Object.keys(prices).map((name) => namePrices({ ...prices, [name]: 99n }).fingerprint)
  const all = [namePrices(prices).fingerprint, namePrices({ ...prices }).fingerprint, ...changed]
  expect(new Set(all).size).toBe(Object.keys(prices).length + 1)
  expect(JSON.parse(namePrices(prices).list)).toMatchObject({ addPiecesPerPieceFee: '5' })
})
