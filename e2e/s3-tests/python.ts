/** The Python that runs the suite, and its packages. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Import name → name in the package index. */
const packages: Readonly<Record<string, string>> = {
  boto3: 'boto3',
  munch: 'munch',
  isodate: 'isodate',
  requests: 'requests',
  pytz: 'pytz',
  httplib2: 'httplib2',
  lxml: 'lxml',
  yaml: 'PyYAML',
  pytest: 'pytest',
  pytest_timeout: 'pytest-timeout',
}
const venvMs = 120_000
const installMs = 600_000
const checkMs = 60_000

/** Makes an environment with the packages of the suite in `dir`, and returns its Python. */
export function makeEnvironment(dir: string, note: (text: string) => void): string {
  if (spawnSync('python3', ['--version']).error !== undefined) {
    throw new Error('python3 is not on the PATH: install Python 3.9 or later, or name one with --python <path>')
  }
  note('Making a Python environment with the packages of the suite')
  const venv = join(dir, 'venv')
  run('python3', ['-m', 'venv', venv], venvMs)
  const python = join(venv, 'bin', 'python')
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...Object.values(packages)], installMs)
  return python
}

/** Throws when the program is missing, or lacks a package of the suite. */
export function requirePython(python: string): string {
  const find = 'import importlib.util, sys; print(" ".join(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))'
  const { error, status, stdout, stderr } = spawnSync(python, ['-c', find, ...Object.keys(packages)], {
    timeout: checkMs,
    encoding: 'utf8',
  })
  if (error !== undefined || status !== 0) throw new Error(`${python} is not a usable Python: ${error?.message ?? stderr.trim()}`)
  const missing = stdout.trim().split(' ').filter(Boolean)
  if (missing.length === 0) return python
  const names = missing.map((name) => packages[name]).join(' ')
  throw new Error(`${python} lacks packages: install them with \`${python} -m pip install ${names}\`, or leave out --python`)
}

function run(program: string, args: readonly string[], timeout: number): void {
  const { error, status, stdout, stderr } = spawnSync(program, args, { timeout, encoding: 'utf8' })
  if (error === undefined && status === 0) return
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`)
}
