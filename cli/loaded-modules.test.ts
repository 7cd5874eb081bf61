/** Law 3: declaring costs nothing. Counts the modules that a command imports, because a time would depend on the machine. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'svc-modules-'))
afterAll(() => rmSync(dir, { recursive: true }))

const hook = join(dir, 'hook.mjs')
writeFileSync(
  hook,
  `import { writeFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  // A pipe does not take a list of this length at the exit.
  process.on('exit', () => writeFileSync(new URL('loaded-' + process.pid, import.meta.url), JSON.stringify(urls)))`,
)

interface Loaded {
  readonly code: number
  readonly output: string
  /** Files of svc, relative to the root. */
  readonly own: readonly string[]
  readonly packages: readonly string[]
}

/** `stopAt`: text of the log at which the command gets a stop signal. */
function run(line: string, env: Readonly<Record<string, string>> = {}, stopAt?: string): Promise<Loaded> {
  const args = ['--import', pathToFileURL(hook).href, join(root, 'cli/svc.js'), ...line.split(' ')]
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { env: { PATH: process.env.PATH, HOME: dir, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env } },
      (error, stdout, stderr) => {
        const urls = JSON.parse(readFileSync(join(dir, `loaded-${child.pid}`), 'utf8')) as string[]
        const files = urls.flatMap((url) => (url.startsWith('file:') ? fileURLToPath(url) : []))
        const inPackages = files.flatMap(
          (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file.slice(file.lastIndexOf('node_modules/')))?.[1] ?? [],
        )
        resolve({
          code: error ? Number(error.code) : 0,
          output: stdout + stderr,
          own: files.filter((file) => file.startsWith(root) && !file.includes('node_modules')).map((file) => file.slice(root.length)),
          packages: [...new Set(inPackages)].sort(),
        })
      },
    )
    let log = ''
    child.stderr?.on('data', (text: string) => {
      const hadIt = stopAt !== undefined && log.includes(stopAt)
      log += text
      if (stopAt !== undefined && !hadIt && log.includes(stopAt)) child.kill('SIGTERM')
    })
  })
}

/** The parser of the command line, with what it needs. */
const parser = ['@clerc/core', '@clerc/parser', '@clerc/utils', 'lite-emit']
const toml = '@decimalturn/toml-patch'

/** `ownMax` is a little above the present count: 125 for the kernel and the program, 211 with every plugin, of which each new one adds its table of contents and its commands. */
test.each([
  { line: 'version', ownMax: 133 },
  { line: '--help', ownMax: 211 },
  { line: 'admin --help', ownMax: 211 },
  { line: 'serve --help', ownMax: 133 },
])('svc $line imports at most $ownMax modules of svc, and of packages only the parser', async ({ line, ownMax }) => {
  const { code, output, own, packages } = await run(line)
  expect(output).toContain('svc')
  expect(code).toBe(0)
  expect(own).toContain('cli/main.ts')
  expect(own.length).toBeLessThanOrEqual(ownMax)
  expect(packages.filter((name) => !parser.includes(name))).toEqual([])
})

test('only a command that shows the commit reads the files of git', async () => {
  const [help, version] = await Promise.all([run('--help'), run('version')])
  expect(help.own).not.toContain('kernel/process/checkout.ts')
  expect(version.own).toContain('kernel/process/checkout.ts')
})

test('a configuration file adds the TOML parser and nothing else to svc --help', async () => {
  const config = join(dir, 'config.toml')
  writeFileSync(config, '[plugins]\ndisabled = ["observability"]\n')
  const { code, own, packages } = await run('--help', { SVC_CONFIG: config })
  expect(code).toBe(0)
  expect(own.length).toBeLessThanOrEqual(211)
  expect(packages.filter((name) => !parser.includes(name))).toEqual([toml])
})

test('a command that calls the Admin API loads neither a server nor a database, and the schema library only for an answer', async () => {
  const { code, output, own, packages } = await run('admin task list --admin-url http://127.0.0.1:9', { SVC_ADMIN_PASSWORD: 'secret' })
  expect(output).toContain('no answer from http://127.0.0.1:9')
  expect(code).toBe(1)
  expect(own.length).toBeLessThanOrEqual(214)
  expect(packages.filter((name) => !parser.includes(name))).toEqual([])
})

test('the start of a configured gateway loads neither a schema library nor, without a pending migration, the migrator', async () => {
  const env = {
    SVC_CONFIG: join(mkdtempSync(join(dir, 'serve-')), 'config.toml'),
    SVC_ADMIN_ADDR: '127.0.0.1:0',
    // Any password serves; `svc init` would cost the test as much as a start.
    SVC_ADMIN_AUTH_PASSWORD_HASH: '$scrypt$ln=4,r=8,p=1$V7fCWvHcNjjPz7auxvrxUQ$aTTc34lcK-2O1-hMKFR_-opIqw0VFutrlgejOwD7nc8',
    SVC_ADMIN_AUTH_SESSION_SECRET: '42'.repeat(32),
    SVC_SERVER_PORT: '127.0.0.1:0',
    SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32),
    SVC_CHAIN_RPC_URL: 'http://127.0.0.1:9',
  }
  expect((await run('migrate', env)).packages).toContain('@mikro-orm/migrations')
  const { code, output, packages } = await run('serve', env, 'is running')
  expect(output).toContain('mode=full')
  expect(code).toBe(0)
  expect(packages).toEqual(expect.arrayContaining(['fastify', '@mikro-orm/core']))
  // Schemas are built at the first request or task that needs them.
  expect(packages.filter((name) => ['arktype', '@ark/schema', 'zod', '@mikro-orm/migrations'].includes(name))).toEqual([])
})
