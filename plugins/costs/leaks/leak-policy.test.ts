import { expect, test } from 'vitest'
import { feePercent, piecesFees } from './leak-policy.ts'

test('fees are those of calls and of pieces, exact', () => {
  const prices = { addPiecesBaseFee: 8n * 10n ** 15n, addPiecesPerPieceFee: 3n * 10n ** 15n }
  expect(piecesFees({ additions: 25, pieces: 1000 }, prices)).toBe(3_200_000_000_000_000_000n)
})

test.each([
  [92n, 8n, 92],
  [999n, 1n, 99],
  [5n, 0n, 100],
  [0n, 7n, 0],
  [0n, 0n, null],
])('fees of %s beside storage of %s are %s percent', (fees, storage, percent) => {
  expect(feePercent(fees, storage)).toBe(percent)
})
