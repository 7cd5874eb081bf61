import { expect, test } from 'vitest'
import { judge } from './judge-policy.ts'
import type { TestOutcome } from './junit-report.ts'

const outcome = (name: string, status: TestOutcome['status']): TestOutcome => ({ name, status, message: status === 'passed' ? '' : 'why' })

test('failures are expected or new, and tests without an outcome are reported', () => {
  const verdict = judge(
    ['good', 'known', 'new', 'mended', 'skipped', 'lost'],
    [
      outcome('good', 'passed'),
      outcome('known', 'failed'),
      outcome('new', 'failed'),
      outcome('mended', 'passed'),
      outcome('skipped', 'skipped'),
    ],
    new Set(['known', 'mended', 'not selected']),
  )
  expect(verdict).toEqual({
    passed: 2,
    skipped: 1,
    failedAsExpected: [outcome('known', 'failed')],
    newlyFailed: [outcome('new', 'failed')],
    newlyPassed: ['mended'],
    missing: ['lost'],
  })
})
