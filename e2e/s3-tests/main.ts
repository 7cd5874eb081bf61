/** `npm run test:s3-tests -- <checkout of ceph/s3-tests>`: runs its tests in scope against `svc dev --any-size`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { readCount } from '../fixtures/read-count.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { expectedFailures } from './expected-failures.ts'
import { judge, type Verdict } from './judge-policy.ts'
import { collectTests, type Pytest, requireCheckout, runTests } from './pytest.ts'
import { makeEnvironment, requirePython } from './python.ts'
import { markers, suiteCommit, testsInScope, testsLeftOut } from './scope.ts'
import { type SuiteUsers, suiteSettings, writeSuiteConfig } from './suite-config.ts'

const help = `npm run test:s3-tests -- <checkout of ceph/s3-tests> [options]

Runs the tests of ceph/s3-tests that are in scope against svc dev --any-size, which it starts and stops, and compares the
outcomes with e2e/s3-tests/expected-failures.ts. Exit code 0: every other test passed. 1: a test failed that should
pass. 2: usage error, or the suite could not run.

  --python <path>   Python with the packages of the suite (default: makes a temporary environment with python3)
  --names <expr>    only tests whose names match this expression of pytest -k, for example "copy or tagging"
  --workers <n>     runs of pytest at the same time, each with its own users (default 2)
  -h, --help        print this text
`
const workersMax = 8

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`s3-tests: ${(error as Error).message}\n`)
  process.exitCode = 2
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      python: { type: 'string' },
      names: { type: 'string' },
      workers: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const [path] = positionals
  if (path === undefined || positionals.length > 1) throw new Error(`expected one path of a checkout, got ${positionals.length}\n\n${help}`)
  const workers = readCount('--workers', values.workers, workersMax)
  const checkout = resolve(path)
  requireCheckout(checkout)
  using temporary = temporaryDirectory()
  const python = values.python === undefined ? makeEnvironment(temporary.path, note) : requirePython(values.python)
  const verdict = await runSuite({ python, checkout, dir: temporary.path }, { names: values.names, workers })
  process.stdout.write(describe(verdict))
  return verdict.newlyFailed.length + verdict.missing.length > 0 ? 1 : 0
}

async function runSuite(pytest: Pytest, { names, workers }: { readonly names: string | undefined; readonly workers: number }) {
  note('Starting svc dev --any-size')
  await using gateway = await startDev({ isAnySize: true, settings: suiteSettings })
  const configPaths: string[] = []
  for (let worker = 0; worker < workers; worker += 1) configPaths.push(await writeConfig(gateway, join(pytest.dir, `worker-${worker}`)))
  const notRun = new Set(Object.values(testsLeftOut).flat())
  const found = await collectTests(pytest, configPaths[0] as string, { markers, names })
  const ids = found.filter((id) => !notRun.has(nameOf(id)))
  note(`Running ${ids.length} tests`)
  if (names === undefined && ids.length !== testsInScope) {
    note(
      `The checkout has ${ids.length} tests in scope instead of ${testsInScope}: the lists were made for commit ${suiteCommit} of the suite`,
    )
  }
  const outcomes = await Promise.all(
    configPaths.map((configPath, worker) => {
      const share = ids.filter((_, at) => at % workers === worker)
      return share.length === 0 ? [] : runTests(pytest, share, { configPath, name: `worker-${worker}`, note: write })
    }),
  )
  return judge(ids.map(nameOf), outcomes.flat(), expectedFailures)
}

/** Each worker has its own users: tests count the buckets of theirs. */
async function writeConfig({ call, ready }: DevProcess, dir: string): Promise<string> {
  const addUser = async () => (await call('POST', '/api/v1/s3-users', { json: { role: 'userplus' } })).json
  const users: SuiteUsers = { main: await addUser(), alt: await addUser(), tenant: await addUser() }
  mkdirSync(dir)
  const path = join(dir, 's3tests.conf')
  writeFileSync(path, writeSuiteConfig(ready.s3_url, users))
  return path
}

function describe({ passed, skipped, failedAsExpected, newlyFailed, newlyPassed, missing }: Verdict): string {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`
  return [
    `\n\n${passed} passed, ${failedAsExpected.length} failed as expected, ${newlyFailed.length} newly failed, ${skipped} skipped\n`,
    list(
      'Newly failed',
      newlyFailed.map(({ name, message }) => `${name}: ${message}`),
    ),
    list('Without an outcome', missing),
    list('Passed although listed in e2e/s3-tests/expected-failures.ts', newlyPassed),
  ].join('')
}

function nameOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1)
}

function note(text: string): void {
  write(`${text}\n`)
}

function write(text: string): void {
  process.stderr.write(text)
}
