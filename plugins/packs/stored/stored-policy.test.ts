import { expect, test } from 'vitest'
import { firstOfPack, packingCosts, packsOf } from './stored-policy.ts'

const usdfc = 10n ** 18n
const prices = {
  addPiecesBaseFee: usdfc / 125n,
  addPiecesPerPieceFee: (usdfc * 3n) / 1000n,
  schedulePieceRemovalsFee: (usdfc * 7n) / 1000n,
}
const limits = { bytes: 256 * 1024 * 1024, members: 8192 }

test('10,000 objects of 4 KiB at three copies fill two packs, by their number', () => {
  const sum = { contents: 10_000, bytes: 40_960_000, copies: 3 }
  expect(packsOf(sum, limits)).toBe(2)
  // Two additions with one piece each, and 100 calls that remove 100 pieces each, at three providers.
  expect(packingCosts(sum, 2, prices)).toEqual({
    spent: (3n * (2n * 11n + 100n * 7n) * usdfc) / 1000n,
    savedPerCopy: ((10_000n * 3n + 250n * 8n - 22n) * usdfc) / 1000n,
  })
})

test('packs also fill by bytes, and packing that saves nothing is shown as nothing', () => {
  expect(packsOf({ contents: 600, bytes: 600 * 1024 * 1024 }, limits)).toBe(3)
  expect(packingCosts({ contents: 1, bytes: 10, copies: 1 }, 1, prices).savedPerCopy).toBe(0n)
})

test('contents that have no room are left for the next pack', () => {
  const contents = [{ size: 400 }, { size: 400 }, { size: 400 }]
  expect(firstOfPack(contents, 2000)).toHaveLength(2)
  expect(firstOfPack(contents, 10_000)).toHaveLength(3)
  expect(firstOfPack(contents, 10)).toHaveLength(0)
})
