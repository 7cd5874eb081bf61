/** Runs pytest on a checkout of ceph/s3-tests. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJunitReport, type TestOutcome } from './junit-report.ts'

export interface Pytest {
  readonly python: string
  readonly checkout: string
  /** Directory of the reports. */
  readonly dir: string
}

interface Run {
  readonly args: readonly string[]
  readonly configPath: string
  readonly withinMs: number
  readonly note?: ((text: string) => void) | undefined
}

const files = ['test_s3.py', 'test_headers.py', 'test_utils.py'].map((name) => `s3tests/functional/${name}`)
const testSeconds = 300
const collectMs = 180_000
/** Limit for each selected test on average, beside the limit of a single one. */
const averageMs = 30_000
const outputMax = 2_000
const collected = /^s3tests\/functional\/\w+\.py::\w+$/

export function requireCheckout(checkout: string): void {
  const missing = files.filter((file) => !existsSync(join(checkout, file)))
  if (missing.length === 0) return
  const next = 'clone https://github.com/ceph/s3-tests and give its path'
  throw new Error(`${checkout} is not a checkout of ceph/s3-tests: ${missing.join(', ')} is missing; ${next}`)
}

/** The ids of the tests that match a marker expression, and a name expression if there is one. */
export async function collectTests(
  pytest: Pytest,
  configPath: string,
  { markers, names }: { markers: string; names?: string | undefined },
) {
  const args = ['--collect-only', '-m', markers, ...(names === undefined ? [] : ['-k', names]), ...files]
  const { output, status } = await runPytest(pytest, { args, configPath, withinMs: collectMs })
  const ids = output.split('\n').filter((line) => collected.test(line))
  if (ids.length === 0) throw new Error(`pytest found no test (exit code ${status}): ${output.slice(-outputMax)}`)
  return ids
}

/** Outcomes of the tests with these ids. */
export async function runTests(
  pytest: Pytest,
  ids: readonly string[],
  { configPath, name, note }: { readonly configPath: string; readonly name: string; readonly note: (text: string) => void },
): Promise<readonly TestOutcome[]> {
  const reportPath = join(pytest.dir, `${name}.xml`)
  const args = ['--timeout', String(testSeconds), '--tb=no', '--junitxml', reportPath, ...ids]
  const { output, status } = await runPytest(pytest, { args, configPath, withinMs: ids.length * averageMs + collectMs, note })
  if (!existsSync(reportPath)) throw new Error(`pytest ended with ${status} without a report: ${output.slice(-outputMax)}`)
  return readJunitReport(readFileSync(reportPath, 'utf8'))
}

function runPytest({ python, checkout, dir }: Pytest, { args, configPath, withinMs, note }: Run) {
  return new Promise<{ readonly output: string; readonly status: number | string }>((resolve, reject) => {
    const child = spawn(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...args], {
      cwd: checkout,
      // Leaves out the settings and credentials that the user of this machine has.
      env: {
        ...{ PATH: process.env.PATH, HOME: dir, PYTHONDONTWRITEBYTECODE: '1' },
        ...{ S3TEST_CONF: configPath, AWS_EC2_METADATA_DISABLED: 'true' },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        note?.(text)
      })
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ output, status: code ?? signal ?? 'no exit code' })
    })
  })
}
