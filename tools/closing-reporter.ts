import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { allowedSeconds } from './test-costs.ts'

/** Lists test files over their CPU limit, then prints one machine-readable line: `svc: N passed, N failed, N skipped`. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { passed, failed, skipped } = countTests(modules, errors)
    process.stdout.write(describeCosts(modules))
    process.stdout.write(`\nsvc: ${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  }
}

export interface TestCount {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export function countTests(modules: readonly TestModule[], errors: readonly unknown[]): TestCount {
  const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1
  // A file that fails to load has no tests, but counts as a failure.
  const broken = modules.filter((module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0).length
  return { ...count, failed: count.failed + broken + errors.length }
}

function describeCosts(modules: readonly TestModule[]): string {
  const costs = modules.map((module) => ({
    path: relative(module.project.config.root, module.moduleId),
    seconds: module.meta().cpuSeconds ?? 0,
  }))
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const excessive = costs.filter(({ path, seconds }) => seconds > allowedSeconds(path)).sort((a, b) => b.seconds - a.seconds)
  const lines = excessive.map(
    ({ path, seconds }) => `  ${path} used ${seconds.toFixed(1)} s of CPU; its limit is ${allowedSeconds(path)} s (tools/test-costs.ts)\n`,
  )
  return [`\n Test files used ${total.toFixed(0)} s of CPU; ${lines.length} of them exceeded their limit\n`, ...lines].join('')
}
