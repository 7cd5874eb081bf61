/** `npm test`: all tests but the long ones; with folders or files as arguments, exactly those. Other arguments go to vitest. */
import type { Vitest } from 'vitest/node'
import { countTests, type TestCount } from './closing-reporter.ts'
import { chooseSecondRun } from './second-run.ts'
import { toFilters } from './test-filters.ts'

const { privateCompileCache } = await import('../cli/compile-cache.js' as string)
const compileCache: string | undefined = privateCompileCache()
// The workers inherit both variables.
if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= compileCache
// The same number as in cli/svc.js, for gateways that run in a worker.
process.env.UV_THREADPOOL_SIZE ??= '64'

// After the variables: vitest reads them.
const { parseCLI, startVitest } = await import('vitest/node')
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2).flatMap(toFilters)])
// For vitest.config.ts.
if (filter.length === 0) process.env.SVC_TEST_LONG ??= '0'
const first = await startVitest('test', filter, options)
const again = filter.length === 0 ? chooseSecondRun(filesOf(first), first.state.getUnhandledErrors().length) : []
if (again.length === 0) await first.exit()
else await runAgain(first, again)

function filesOf({ state }: Vitest) {
  return state
    .getTestModules()
    .map((module) => ({ path: module.moduleId, project: module.project.name, hasFailed: module.state() === 'failed' }))
}

async function runAgain(earlier: Vitest, paths: readonly string[]): Promise<void> {
  const count = countOf(earlier)
  await earlier.close()
  process.stdout.write(`\nsvc: failed beside other tests, and run again alone: ${paths.join(', ')}\n`)
  process.exitCode = 0
  const second = await startVitest('test', [...paths], options)
  const { failed } = countOf(second)
  const total = `${count.passed + count.failed - failed} passed, ${failed} failed, ${count.skipped} skipped`
  process.stdout.write(`\nsvc: ${total}; ${count.failed} failed at first in ${paths.join(', ')}\n`)
  await second.exit()
}

function countOf({ state }: Vitest): TestCount {
  return countTests(state.getTestModules(), state.getUnhandledErrors())
}
