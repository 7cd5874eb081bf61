import { expect, test } from 'vitest'
import { testSpending } from '../testing/test-spending.ts'
import { ChainAnswerImplausible, FeeAboveLimit } from './chain-error.ts'
import { requireFeesWithin } from './fee-limits.ts'

const limits = { feePerGasMax: 100n, totalMax: 1000n }
const within = (gas: bigint, maxFeePerGas: bigint, maxPriorityFeePerGas = 1n) =>
  requireFeesWithin(limits, { gas, maxFeePerGas, maxPriorityFeePerGas })

test('I-33: fees up to both limits are accepted', () => {
  within(10n, 100n)
  within(1000n, 1n)
})

test.each([
  ['the fee per gas', () => within(1n, 101n), 'chain.spending.max_fee_per_gas_nanofil'],
  ['the priority fee alone', () => within(1n, 1n, 101n), 'chain.spending.max_fee_per_gas_nanofil'],
  ['the total fee', () => within(11n, 100n), 'chain.spending.max_transaction_fee_millifil'],
])('I-33: %s above its limit is rejected and names the setting', (_what, attempt, setting) => {
  expect(attempt).toThrow(FeeAboveLimit)
  expect(attempt).toThrow(setting)
})

test.each([
  ['10.5 nanoFIL per gas, above the 10 of chain.spending.max_fee_per_gas_nanofil.', 1n, 10_500_000_000n],
  ['1000.000005 milliFIL, above the 1000 of chain.spending.max_transaction_fee_millifil.', 200_000_001n, 5_000_000_000n],
])('the error has both amounts in the unit of the setting: %s', (amounts, gas, maxFeePerGas) => {
  const attempt = () => requireFeesWithin(testSpending.fees, { gas, maxFeePerGas, maxPriorityFeePerGas: 1n })
  expect(attempt).toThrow(`up to ${amounts}`)
})

test('a negative fee is rejected', () => {
  expect(() => within(1n, -1n)).toThrow(ChainAnswerImplausible)
  expect(() => within(1n, 1n, -1n)).toThrow(ChainAnswerImplausible)
})
