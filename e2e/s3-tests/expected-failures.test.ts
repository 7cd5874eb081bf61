import { expect, test } from 'vitest'
import { expectedFailures, failureReasons } from './expected-failures.ts'
import { testsLeftOut } from './scope.ts'

test('every expected failure is listed once and is in scope', () => {
  const listed = failureReasons.flatMap(({ tests }) => tests)
  const leftOut = new Set(Object.values(testsLeftOut).flat())
  expect(listed).toHaveLength(expectedFailures.size)
  expect(listed.filter((name) => leftOut.has(name) || !/^test_\w+$/.test(name))).toEqual([])
  expect(failureReasons.filter(({ tests }) => tests.length === 0)).toEqual([])
})
