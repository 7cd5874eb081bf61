import { expect, test } from 'vitest'
import { findBudgetProblem } from './budget-policy.ts'

const files = (count: number, bytes: number) => Array.from({ length: count }, (_, at) => ({ name: `${at}.js`, bytes }))

test('25 files with 60 KiB together are allowed', () => {
  expect(findBudgetProblem(files(25, (60 * 1024) / 25))).toBeUndefined()
})

test('a byte or a file more fails, and the largest files are named', () => {
  expect(findBudgetProblem([...files(2, 30 * 1024), { name: 'icons.js', bytes: 1 }])).toMatch(
    /^the first view has 3 JavaScript files with 61441 bytes.*Largest: 0\.js 30720/,
  )
  expect(findBudgetProblem(files(26, 1))).toContain('has 26 JavaScript files')
})

test('each part of another author adds 1 KiB, and no file', () => {
  expect(findBudgetProblem(files(2, 31 * 1024), 2)).toBeUndefined()
  expect(findBudgetProblem(files(2, 31 * 1024), 1)).toContain('allowed are 25 files and 62464 bytes')
  expect(findBudgetProblem(files(26, 1), 2)).toContain('has 26 JavaScript files')
})
