/** Compares the outcomes of a run with the expected failures. */
import type { TestOutcome } from './junit-report.ts'

export interface Verdict {
  readonly passed: number
  readonly skipped: number
  readonly failedAsExpected: readonly TestOutcome[]
  readonly newlyFailed: readonly TestOutcome[]
  /** Expected failures that passed: their rows can be deleted. */
  readonly newlyPassed: readonly string[]
  /** Selected tests that the report does not have, for example because pytest ended early. */
  readonly missing: readonly string[]
}

export function judge(selected: readonly string[], outcomes: readonly TestOutcome[], expectedFailures: ReadonlySet<string>): Verdict {
  const reported = new Set(outcomes.map(({ name }) => name))
  const withStatus = (status: TestOutcome['status']) => outcomes.filter((outcome) => outcome.status === status)
  const [failed, passed] = [withStatus('failed'), withStatus('passed')]
  return {
    passed: passed.length,
    skipped: withStatus('skipped').length,
    failedAsExpected: failed.filter(({ name }) => expectedFailures.has(name)),
    newlyFailed: failed.filter(({ name }) => !expectedFailures.has(name)),
    newlyPassed: passed.map(({ name }) => name).filter((name) => expectedFailures.has(name)),
    missing: selected.filter((name) => !reported.has(name)),
  }
}
