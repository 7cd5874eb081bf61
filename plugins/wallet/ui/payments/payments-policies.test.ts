import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAmount, writeAmount } from './amount-policy.ts'
import { mayHaveArrived } from './uncertain-answer-policy.ts'

test('every amount is read as it is written, to the last unit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), (amount) => {
      expect(readAmount(writeAmount(amount), undefined)).toEqual({ amount, problem: undefined })
    }),
  )
})

test.each([
  ['12.5', 125n * 10n ** 17n],
  [' 3 ', 3n * 10n ** 18n],
  ['0.000000000000000001', 1n],
  ['7.', 7n * 10n ** 18n],
])('%j is an amount', (text, amount) => {
  expect(readAmount(text, undefined)).toEqual({ amount, problem: undefined })
})

test.each(['1e3', '-1', '1,5', '0x10', '0', '0.0', '.', '1.0000000000000000001', 'NaN', '1 000'])('%j is refused with a reason', (text) => {
  expect(readAmount(text, undefined)).toEqual({ amount: undefined, problem: expect.stringMatching(/\.$/) })
})

test('nothing typed is no problem yet; more than there is names what there is', () => {
  expect(readAmount(' ', undefined)).toEqual({ amount: undefined, problem: undefined })
  const limit = { max: 15n * 10n ** 17n, place: 'in the wallet' }
  expect(readAmount('1.5', limit).problem).toBeUndefined()
  expect(readAmount('1.500000000000000001', limit).problem).toBe('Only 1.5 USDFC are in the wallet.')
})

test('only a refusal proves that a request recorded nothing', () => {
  expect([0, 500, 502, 504].map((status) => mayHaveArrived({ status }))).toEqual([true, true, true, true])
  expect([400, 401, 409, 429, 503].map((status) => mayHaveArrived({ status }))).toEqual([false, false, false, false, false])
})
