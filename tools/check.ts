/** `npm run check`: runs all steps, two at a time, and reports each failure. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkPages } from './check-pages.ts'
import { checkBags } from './checks/check-bags.ts'
import { checkComments } from './checks/check-comments.ts'
import { checkDisposal } from './checks/check-disposal.ts'
import { checkEntities } from './checks/check-entities.ts'
import { checkErrorCodes } from './checks/check-error-codes.ts'
import { checkExports } from './checks/check-exports.ts'
import { checkExpressions } from './checks/check-expressions.ts'
import { checkFolders } from './checks/check-folders.ts'
import { checkInvariants } from './checks/check-invariants.ts'
import { checkPipeline } from './checks/check-pipeline.ts'
import { checkSpec } from './checks/check-spec.ts'
import { checkGeneratedDocs } from './generated-docs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['kernel', 'plugins', 'cli', 'devnet', 'e2e', 'bench', 'tools', 'examples', 'ui'].filter((folder) =>
  existsSync(`${root}${folder}`),
)

interface Step {
  readonly name: string
  /** Problems, one per line; empty when the step passes. */
  run(): Promise<readonly string[]>
}

/** The steps compute, and this many processors are there at least. */
const stepsAtOnce = 2
const outputBytesMax = 64 * 1024 * 1024

/** The longest first; those that run in this process go beside it. */
const steps: readonly Step[] = [
  program('types', 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json']),
  { name: 'folders', run: checkFolders },
  { name: 'exports', run: checkExports },
  { name: 'dependencies of functions', run: checkBags },
  { name: 'comments', run: checkComments },
  { name: 'disposal of resources', run: checkDisposal },
  { name: 'invariants', run: checkInvariants },
  { name: 'lengths and links of pages', run: checkPages },
  { name: 'entities and migrations', run: checkEntities },
  { name: 'error codes', run: checkErrorCodes },
  { name: 'regular expressions', run: checkExpressions },
  { name: 'specification coverage', run: checkSpec },
  { name: 'pipeline coverage', run: checkPipeline },
  { name: 'generated pages', run: checkGeneratedDocs },
  program('style', 'node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '--max-diagnostics=50', '.']),
  program('dependency rules', 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', [
    '--config',
    '.dependency-cruiser.cjs',
    ...folders,
  ]),
  program('types of the dashboard', 'node_modules/typescript/bin/tsc', ['-p', 'ui/tsconfig.json']),
]
let failed = 0
const waiting = [...steps]
await Promise.all(Array.from({ length: stepsAtOnce }, runWaiting))
process.stdout.write(failed === 0 ? 'all checks passed\n' : `${failed} of ${steps.length} checks failed\n`)
process.exitCode = failed === 0 ? 0 : 1

async function runWaiting(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    const startedAt = performance.now()
    const problems = await step.run()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)\n`)
    for (const problem of problems) process.stdout.write(`       ${problem}\n`)
    if (problems.length > 0) failed += 1
  }
}

function program(name: string, path: string, args: readonly string[]): Step {
  const options = { cwd: root, maxBuffer: outputBytesMax }
  const run = () =>
    new Promise<readonly string[]>((resolve) => {
      execFile(process.execPath, [`${root}${path}`, ...args], options, (error, stdout, stderr) => {
        const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '')
        if (error) resolve(lines.length > 0 ? lines : [error.message])
        else resolve([])
      })
    })
  return { name, run }
}
