import { expect, test } from 'vitest'
import { AccountBudget, accountLimits } from './account-budget.ts'

const { failuresFree, delayStepMs, delayMsMax, forgetMs } = accountLimits

function budgetAfter(failures: number) {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  const budget = new AccountBudget(clock)
  for (let n = 0; n < failures; n++) budget.countFailure()
  return { clock, budget }
}

test.each([
  ['no wrong password', 0, 0],
  ['as many as are free', failuresFree, 0],
  ['one more', failuresFree + 1, delayStepMs],
  ['five more', failuresFree + 5, 5 * delayStepMs],
  ['ten thousand', 10_000, delayMsMax],
])('after %s the next answer is delayed by the excess, up to the maximum delay', (_what, failures, delayMs) => {
  expect(budgetAfter(failures).budget.delayMs()).toBe(delayMs)
})

test('the maximum delay is a few seconds', () => {
  expect(delayMsMax).toBeLessThanOrEqual(5000)
})

test('wrong passwords expire one by one, so the delay ends minutes after a flood', () => {
  const { clock, budget } = budgetAfter(10_000)
  clock.ms += 10 * forgetMs
  expect(budget.delayMs()).toBe(delayMsMax - 10 * delayStepMs)
  clock.ms += (delayMsMax / delayStepMs) * forgetMs
  expect(budget.delayMs()).toBe(0)
})

test('a clock that is set back changes nothing', () => {
  const { clock, budget } = budgetAfter(failuresFree + 5)
  clock.ms -= 3_600_000
  expect(budget.delayMs()).toBe(5 * delayStepMs)
  clock.ms += 5 * forgetMs
  expect(budget.delayMs()).toBe(0)
})
