import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { allowedSeconds } from './test-costs.ts'

/** Names the files that cost more than they may, and ends with one plain line that a machine can read: `svc: N passed, N failed, N skipped`. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1
    // A file that cannot be loaded has no tests to count, yet it is a failure.
    const broken = modules.filter((module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0).length
    process.stdout.write(describeCosts(modules))
    process.stdout.write(`\nsvc: ${count.passed} passed, ${count.failed + broken + errors.length} failed, ${count.skipped} skipped\n`)
  }
}

function describeCosts(modules: readonly TestModule[]): string {
  const costs = modules.map((module) => ({
    path: relative(module.project.config.root, module.moduleId),
    seconds: module.meta().cpuSeconds ?? 0,
  }))
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const excessive = costs.filter(({ path, seconds }) => seconds > allowedSeconds(path)).sort((a, b) => b.seconds - a.seconds)
  const lines = excessive.map(
    ({ path, seconds }) => `  ${path} used ${seconds.toFixed(1)} s of CPU; allowed are ${allowedSeconds(path)} s (tools/test-costs.ts)\n`,
  )
  return [`\n Test files used ${total.toFixed(0)} s of CPU; ${lines.length} of them more than allowed\n`, ...lines].join('')
}
