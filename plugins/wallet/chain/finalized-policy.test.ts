import { expect, test } from 'vitest'
import { chooseFinalized } from './finalized-policy.ts'

const evidence = { head: 5000n, confirmations: 5, finalityEpochs: 900, reported: undefined }

test('without a reported block the depth decides, and a young chain has epoch 0', () => {
  expect(chooseFinalized(evidence)).toBe(4100n)
  expect(chooseFinalized({ ...evidence, head: 300n })).toBe(0n)
  expect(chooseFinalized({ ...evidence, confirmations: 900, finalityEpochs: 3 })).toBe(4100n)
})

test.each([
  ['a few epochs behind the head', 4990n, 4990n],
  ['at the confirmations', 4995n, 4995n],
  ['at the depth', 4100n, 4100n],
  ['newer than the confirmations', 4996n, 4100n],
  ['ahead of the head', 9000n, 4100n],
  ['older than the depth', 4099n, 4100n],
  ['the first block', 0n, 4100n],
])('a finalized block reported %s', (_where, reported, chosen) => {
  expect(chooseFinalized({ ...evidence, reported })).toBe(chosen)
})
