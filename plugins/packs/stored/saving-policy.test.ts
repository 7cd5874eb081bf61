import { expect, test } from 'vitest'
import { savedFees } from './saving-policy.ts'

const prices = { addPiecesBaseFee: 8000n, addPiecesPerPieceFee: 3000n }

test('packing saves the fees of single pieces less those of the packs', () => {
  // 1,000 objects and one pack in three copies.
  expect(savedFees({ ofObjects: 3000, ofPacks: 3 }, prices)).toBe(3000n * 3000n + 75n * 8000n - 3n * 11_000n)
})

test('a pack of one object saves nothing', () => {
  expect(savedFees({ ofObjects: 2, ofPacks: 2 }, prices)).toBe(0n)
})
