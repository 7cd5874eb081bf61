import { expect, test } from 'vitest'
import { backoffMs } from './backoff-policy.ts'

test.each([
  [1, 5000],
  [2, 10_000],
  [3, 20_000],
  [7, 320_000],
  [8, 600_000],
  [1000, 600_000],
])('after %i failures the pause is random between 0 and %i ms', (failures, mostMs) => {
  expect(backoffMs(failures, 1)).toBe(mostMs)
  expect(backoffMs(failures, 0.25)).toBe(mostMs / 4)
  expect(backoffMs(failures, 0)).toBe(0)
})
