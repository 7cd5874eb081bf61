import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { basicAuth } from '#kernel/testing'
import { builtinPlugins } from '../../plugins/index.ts'
import { svcHome } from '../testing/run-svc.ts'

const anyPort = { SVC_ADMIN_ADDR: '127.0.0.1:0' }
async function freePort(): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const urlIn = (line: string): string => /admin=(\S+)/.exec(line)?.[1] ?? ''

const stubborn = `
const service = { id: 'stubborn.service', token: Symbol('stubborn'), isOptional: false }
const create = () => ({ [Symbol.asyncDispose]: () => new Promise(() => setInterval(() => {}, 1000)) })
export const plugin = Object.freeze({ id: 'stubborn', requires: [], provides: [{ ref: service, uses: {}, create }], contributes: [] })
`

test('without a wallet key svc serve starts in setup mode, says what is missing and stops on a signal', async () => {
  using home = svcHome()
  await home.run(['init'])
  await using svc = home.start(['serve'], anyPort)
  const running = await svc.line(/is running/)
  expect(running).toContain('mode=setup')
  const advice = await svc.line(/setup mode/)
  expect(advice).toContain('chain.private_key is required')
  expect(advice).toContain(`${join(home.dir, '.svc', 'config.toml')}, in the environment or through http`)
  const health = await fetch(`${urlIn(running)}/healthz`)
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({ status: 'setup' })
  expect(await svc.stop('SIGTERM')).toBe(0)
})

test('the advice of setup mode names the Admin API where its settings page can change the key', async () => {
  using home = svcHome()
  await home.run(['init'])
  const config = join(home.dir, '.svc', 'config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replace('# default_copies = 3', 'default_copies = 9'))
  await using svc = home.start(['serve'], { ...anyPort, SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) })
  const url = urlIn(await svc.line(/is running/))
  expect(await svc.line(/setup mode/)).toContain(
    `chain.default_copies must be at most 8 (was 9). Set it in ${config}, in the environment or through ${url}, then`,
  )
  expect(await svc.stop('SIGTERM')).toBe(0)
})

test('a supervised service that an admin restarts answers, stops in order and ends with exit code 75', async () => {
  using home = svcHome()
  await home.run(['init'])
  const password = readFileSync(join(home.dir, '.svc', 'admin-initial-password'), 'utf8').trim()
  const addr = `127.0.0.1:${await freePort()}`
  // Runs inside this process, which costs no start of another one.
  const ended = home.run(['serve'], { SVC_ADMIN_ADDR: addr, SVC_ADMIN_SUPERVISED: 'true', SVC_LOGGING_LEVEL: 'error' })
  const restart = () =>
    fetch(`http://${addr}/api/v1/restart`, { method: 'POST', headers: { authorization: basicAuth('admin', password) } }).then(
      async (answer) => [answer.status, await answer.json()],
      () => undefined,
    )
  await expect.poll(restart, { timeout: 30_000 }).toEqual([202, { started_at: expect.any(String), stop_seconds: 10 }])
  expect((await ended).code).toBe(75)
})

test('--set overrides the environment', async () => {
  using home = svcHome()
  await home.run(['init'])
  await using svc = home.start(['serve', '--set', 'admin.addr=127.0.0.1:0'], { SVC_ADMIN_ADDR: 'nonsense' })
  expect(await svc.line(/is running/)).toContain('admin=http://127.0.0.1:')
  expect(await svc.stop('SIGINT')).toBe(0)
})

test('a second signal ends a service that does not stop', async () => {
  using home = svcHome()
  await home.run(['init'])
  writeFileSync(join(home.dir, '.svc', 'stubborn.js'), stubborn)
  const onlyIt = { SVC_PLUGINS_DISABLED: builtinPlugins.map(({ id }) => id).join(','), SVC_PLUGINS_PACKAGES: './stubborn.js' }
  await using svc = home.start(['serve'], { ...anyPort, ...onlyIt })
  const running = await svc.line(/is running/)
  expect(running).toContain('mode=full')
  expect(await (await fetch(`${urlIn(running)}/healthz`)).json()).toEqual({ status: 'ok' })
  svc.send('SIGINT')
  await svc.line(/stopping/)
  // Two signals close together count as one key press, so the second is repeated.
  const insisting = setInterval(() => svc.send('SIGINT'), 100)
  expect(await svc.ended).toBe(1)
  clearInterval(insisting)
})

test('an invalid variable stops the start and is named, also when the settings page could change the key', async () => {
  using home = svcHome()
  await home.run(['init'])
  const key = { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) }
  expect(await home.run(['serve'], { ...key, SVC_CHAIN_DEFAULT_COPIES: '9' })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'fatal: SVC_CHAIN_DEFAULT_COPIES must be at most 8 (was 9); correct or unset it\n',
  })
  const { stderr } = await home.run(['admin', 'status'], { SVC_ADMIN_AUTH_ENABLED: 'maybe' })
  expect(stderr).toMatch(/^fatal: SVC_ADMIN_AUTH_ENABLED must be boolean/)
})

test.each([
  [['serve'], 'run svc init'],
  [['migrate'], 'run svc init'],
  [['plugins', 'disable', 'observability'], 'run svc init'],
  [['admin', 'status'], 'run svc init, or name a running service with --admin-url'],
  [['serve', '-c', '/nowhere/svc/config.toml'], 'run svc init --dir /nowhere/svc'],
])('without a configuration svc %j says in one line: %s', async (words, advice) => {
  using home = svcHome()
  const path = words.includes('-c') ? words.at(-1) : join(home.dir, '.svc', 'config.toml')
  // The wallet key alone is not a configuration.
  expect(await home.run(words, { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) })).toEqual({
    code: 1,
    stdout: '',
    stderr: `fatal: ${path} does not exist; ${advice}\n`,
  })
})

test('without a file and with some settings in the environment, the missing ones are named', async () => {
  using home = svcHome()
  const { stderr } = await home.run(['serve'], { SVC_ADMIN_AUTH_USERNAME: 'admin' })
  expect(stderr).toMatch(/^fatal: \S+ does not exist; run svc init, or set in the environment: admin\.auth\.password_hash /)
})

test.each([
  ['chain.private_key=0xfeedfacecafebeef', 'chain.private_key', 'SVC_CHAIN_PRIVATE_KEY'],
  ['admin.auth.session_secret=feedfacecafebeef', 'admin.auth.session_secret', 'SVC_ADMIN_AUTH_SESSION_SECRET'],
  ['chain.rpc_url=https://node.example.org/v3/feedfacecafebeef', 'chain.rpc_url', 'SVC_CHAIN_RPC_URL'],
  ['database.dsn=sqlite://svc:feedfacecafebeef@host/svc.db', 'database.dsn', 'SVC_DATABASE_DSN'],
])('--set %s is refused, because the process list shows it', async (pair, field, variable) => {
  using home = svcHome()
  await home.run(['init'])
  const { code, stderr } = await home.run(['serve', '--set', pair])
  expect(code).toBe(2)
  expect(stderr).toBe(
    `fatal: --set takes no secret, because the process list shows it: set ${field} in the configuration file or ${variable}\n`,
  )
})

test('--set takes the path of the database, which is no secret', async () => {
  using home = svcHome()
  await home.run(['init'])
  const path = join(home.dir, 'elsewhere', 'svc.db')
  const onlyIt = { SVC_PLUGINS_DISABLED: builtinPlugins.map(({ id }) => id).join(',') }
  await using svc = home.start(['serve', '--set', `database.dsn=${path}`], { ...anyPort, ...onlyIt })
  expect(await svc.line(/is running/)).toContain('mode=full')
  expect(existsSync(path)).toBe(true)
  expect(await svc.stop('SIGTERM')).toBe(0)
})

test('a configuration that other users can read causes a warning, and every file that the service creates is private', async () => {
  using home = svcHome()
  await home.run(['init'])
  const dir = join(home.dir, '.svc')
  const config = join(dir, 'config.toml')
  chmodSync(config, 0o644)
  writeFileSync(
    join(dir, 'writer.js'),
    `import { chmodSync, statSync, writeFileSync } from 'node:fs'\nwriteFileSync('made', '')\n${stubborn}`,
  )
  const before = process.umask(0)
  try {
    await using svc = home.start(['serve'], { ...anyPort, SVC_PLUGINS_PACKAGES: './writer.js' })
    expect(await svc.line(/chmod 600/)).toMatch(/WARN .*other users may access the configuration file.* file=\S+config\.toml mode=0644/)
    expect(statSync(join(home.dir, 'made')).mode & 0o777).toBe(0o600)
  } finally {
    process.umask(before)
  }
  chmodSync(config, 0o600)
  await using svc = home.start(['serve'], anyPort)
  await svc.line(/setup mode/)
  await expect(Promise.race([svc.line(/chmod/), svc.stop('SIGTERM')])).resolves.toBe(0)
})

test('a mistyped setting stops the start and is named', async () => {
  using home = svcHome()
  writeFileSync(join(home.dir, 'c.toml'), '[admin]\nadress = "127.0.0.1:9090"\n[admin.auth]\nenabled = false\n')
  const { code, stderr } = await home.run(['serve', '-c', 'c.toml'])
  expect(code).toBe(1)
  expect(stderr).toContain('c.toml cannot be used: admin.adress is not a setting of this service')
  const flag = await home.run(['serve', '-c', 'c.toml', '--set', 'admin.adr=x'])
  expect(flag.stderr).toContain('admin.adr is not a setting')
})

test('svc migrate applies pending migrations once', async () => {
  using home = svcHome()
  await home.run(['init'])
  const first = await home.run(['migrate'])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/^Applied kernel\/0001-/)
  expect((await home.run(['migrate'])).stdout).toBe('The database is up to date.\n')
  expect(JSON.parse((await home.run(['migrate', '--json'])).stdout)).toEqual({ applied: [] })
})
