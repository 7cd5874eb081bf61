/**
 * `npm run test:packed -- [files…]`: makes the package, installs it in an empty folder, and runs these tests (default: those of the APIs,
 * the commands and the S3 clients) with the installed program in place of the sources. With `--clients`: the round of `npm run test:clients`.
 * The variable SVC_TEST_PROGRAM names a program that is installed already, which is tested instead.
 */
import { join } from 'node:path'
import { packPackage } from '../../tools/pack/pack-package.ts'
import { toFilters } from '../../tools/test-filters.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { installPackage } from './install-package.ts'
import { createStranger } from './stranger.ts'

const defaultFolders = ['e2e/api', 'e2e/cli', 'e2e/clients']
/** A command that `npm test` runs in its own process is a process here. */
const testTimeout = 240_000

process.env.SVC_TEST_PROGRAM ||= await installProgram()
process.stdout.write(`Testing ${process.env.SVC_TEST_PROGRAM}\n`)
const args = process.argv.slice(2)
if (args[0] === '--clients') await testClients(args.slice(1))
else await runTests(args)

/** Returns the path of the program, which is deleted at the end of this process. */
async function installProgram(): Promise<string> {
  const home = temporaryDirectory()
  process.once('exit', () => home[Symbol.dispose]())
  const user = createStranger(home.path)
  const { path } = await packPackage(join(home.path, 'made'))
  return join(await installPackage(path, user, join(home.path, 'registry')), 'cli/svc.js')
}

async function runTests(words: readonly string[]): Promise<void> {
  const { privateCompileCache } = await import('../../cli/compile-cache.js' as string)
  const compileCache: string | undefined = privateCompileCache()
  if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= compileCache
  const { parseCLI, startVitest } = await import('vitest/node')
  const { packedResults } = await import('./packed-results.ts')
  const { filter, options } = parseCLI(['vitest', 'run', ...words])
  const folders = filter.length === 0 ? defaultFolders : filter
  await startVitest(folders.flatMap(toFilters), { testTimeout, ...options, reporters: ['default', packedResults] })
}

/** The clients read their names and flags from the command line. */
async function testClients(words: readonly string[]): Promise<void> {
  process.argv.splice(2, Infinity, ...words)
  await import('../clients/main.ts')
}
