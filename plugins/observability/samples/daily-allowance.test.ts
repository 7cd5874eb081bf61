import { expect, test } from 'vitest'
import { createDailyAllowance, samplesDailyMax } from './daily-allowance.ts'

const random = (bytes: number, copies = 1) => ({ providerId: '1', isDoubt: false, bytes, copies })
const doubts = (providerId: string, bytes: number, copies = 1) => ({ providerId, isDoubt: true, bytes, copies })

test('random copies stop before the bytes of a day, whatever copies in doubt use', () => {
  const allowance = createDailyAllowance([random(400), doubts('1', 900)], 1000)
  expect([allowance.allowsRandom(600), allowance.allowsRandom(601)]).toEqual([true, false])
  allowance.add({ providerId: '2', isDoubt: false, bytes: 500 })
  expect([allowance.allowsRandom(100), allowance.allowsRandom(101)]).toEqual([true, false])
})

test('a provider whose copies are in doubt uses half of their bytes, and those of others are still checked', () => {
  const allowance = createDailyAllowance([random(1000), doubts('1', 499)], 1000)
  expect(allowance.allowsDoubt('1')).toBe(true)
  allowance.add({ providerId: '1', isDoubt: true, bytes: 1 })
  expect([allowance.allowsDoubt('1'), allowance.allowsDoubt('2')]).toEqual([false, true])
})

test('copies in doubt at many providers use the bytes of a day', () => {
  const allowance = createDailyAllowance([doubts('1', 333), doubts('2', 333), doubts('3', 333)], 1000)
  expect(allowance.allowsDoubt('4')).toBe(true)
  allowance.add({ providerId: '3', isDoubt: true, bytes: 1 })
  expect(allowance.allowsDoubt('4')).toBe(false)
})

test('a day has no more checks than rows are kept, and answers without bytes are checks too', () => {
  const one = createDailyAllowance([doubts('1', 0, 5000)], 1000)
  expect([one.allowsDoubt('1'), one.allowsDoubt('2')]).toEqual([false, true])
  const all = createDailyAllowance([doubts('1', 0, 15_000)], 1000)
  expect([all.allowsDoubt('2'), all.allowsRandom(1)]).toEqual([false, true])
  expect(createDailyAllowance([doubts('1', 0, 15_000), random(0, samplesDailyMax - 15_000)], 1000).allowsRandom(1)).toBe(false)
})
