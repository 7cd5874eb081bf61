import { expect, test } from 'vitest'
import { decodeNonce, pieceIdsOf } from './nonce-policy.ts'

const half = 2n ** 128n
test.each([
  [0n, { landed: false }],
  [7n, { landed: true, dataSetId: 7n }],
  [half - 1n, { landed: true, dataSetId: half - 1n }],
  [(1n << 128n) | 7n, { landed: true, dataSetId: 7n, nextPieceId: 1n }],
  [((half - 1n) << 128n) | (half - 1n), { landed: true, dataSetId: half - 1n, nextPieceId: half - 1n }],
])('the nonce word %d means %o', (word, expected) => {
  expect(decodeNonce(word)).toEqual(expected)
})

test('an addition of n pieces received the n ids before the next piece id', () => {
  expect(pieceIdsOf(5n, 2)).toEqual([3n, 4n])
  expect(pieceIdsOf(2n, 2)).toEqual([0n, 1n])
  expect(() => pieceIdsOf(1n, 2)).toThrow(RangeError)
})
