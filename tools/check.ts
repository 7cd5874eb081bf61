/** `npm run check`: types, style, dependency rules, folders, exports, dependencies of functions, comments, disposal of resources, invariants, entities, error codes, regular expressions, specification and pipeline coverage, and generated pages. Runs all steps and reports each failure. */
import { spawnSync } from 'node:child_process'
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

const steps: readonly Step[] = [
  program('types', 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json']),
  program('types of the dashboard', 'node_modules/typescript/bin/tsc', ['-p', 'ui/tsconfig.json']),
  program('style', 'node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '--max-diagnostics=50', '.']),
  program('dependency rules', 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', [
    '--config',
    '.dependency-cruiser.cjs',
    ...folders,
  ]),
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
]

let failed = 0
for (const step of steps) {
  const startedAt = performance.now()
  const problems = await step.run()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)\n`)
  for (const problem of problems) process.stdout.write(`       ${problem}\n`)
  if (problems.length > 0) failed += 1
}
process.stdout.write(failed === 0 ? 'all checks passed\n' : `${failed} of ${steps.length} checks failed\n`)
process.exitCode = failed === 0 ? 0 : 1

function program(name: string, path: string, args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [`${root}${path}`, ...args], {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      })
      return status === 0 ? [] : `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '')
    },
  }
}
