import { expect, test } from 'vitest'
import { ChainAnswerImplausible, ChainUnreachable } from './chain-error.ts'
import { requireAmount, requireEpoch, requireGas, requireNonce } from './plausible-answer.ts'

const day = 86_400_000
const epoch = (reported: bigint, highest?: bigint, startsAtMs?: number) => requireEpoch({ reported, highest, startsAtMs, nowMs: 10 * day })

test.each<readonly [what: string, answer: () => unknown]>([
  ['a negative balance', () => requireAmount(-1n, 'the FIL of the wallet')],
  ['more than the total supply', () => requireAmount(2n ** 200n, 'the FIL of the wallet')],
  ['an estimate below a transfer', () => requireGas(20_999n)],
  ['an estimate above a block', () => requireGas(10_000_000_001n)],
  ['a negative nonce', () => requireNonce(-1, 0)],
  ['a nonce that is not a number', () => requireNonce(Number.NaN, 0)],
  ['a nonce beyond exact numbers', () => requireNonce(2 ** 60, 2 ** 60)],
  ['a used nonce', () => requireNonce(4, 5)],
  ['a nonce far ahead of what was mined', () => requireNonce(1002, 1)],
  ['a negative epoch', () => epoch(-1n)],
  ['an epoch beyond finality in the past', () => epoch(99n, 1000n)],
  ['an epoch more than a day ahead', () => epoch(1n, undefined, 11 * day + 1)],
])('%s is rejected and counts as unreachable', (_what, answer) => {
  expect(answer).toThrow(ChainAnswerImplausible)
  expect(answer).toThrow(ChainUnreachable)
  expect(answer).toThrow(/^The chain node reported .+, which is impossible\. Check the node/)
})

test('plausible values pass unchanged', () => {
  expect([requireAmount(0n, ''), requireAmount(2n * 10n ** 27n, ''), requireGas(21_000n), requireGas(10_000_000_000n)]).toEqual([
    0n,
    2n * 10n ** 27n,
    21_000n,
    10_000_000_000n,
  ])
  expect([requireNonce(0, 0), requireNonce(1001, 1)]).toEqual([0, 1001])
  expect([epoch(0n), epoch(100n, 1000n), epoch(5000n, 1000n), epoch(7n, 7n, 11 * day)]).toEqual([0n, 100n, 5000n, 7n])
})
