import type { Reporter, TestModule } from 'vitest/node'

/** Ends a test run with one plain line that a machine can read: `svc: N passed, N failed, N skipped`. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1
    // A file that cannot be loaded has no tests to count, yet it is a failure.
    const broken = modules.filter((module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0).length
    process.stdout.write(`\nsvc: ${count.passed} passed, ${count.failed + broken + errors.length} failed, ${count.skipped} skipped\n`)
  }
}
