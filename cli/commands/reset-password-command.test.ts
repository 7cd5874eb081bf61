import { cpSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfigFile, verifyPassword } from '#kernel/host'
import { basicAuth, type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { createOutput } from '../terminal/output.ts'
import { svcHome } from '../testing/run-svc.ts'
import { run } from './reset-password-command.ts'

interface AuthTable {
  readonly enabled: boolean
  readonly username: string
  readonly password_hash: string
  readonly session_secret: string
}

const authOf = (path: string) => (readConfigFile(path).tree.admin as { readonly auth: AuthTable }).auth

function openHome() {
  const home = svcHome()
  onTestFinished(() => home[Symbol.dispose]())
  return home
}

const initialized = svcHome()
beforeAll(() => initialized.run(['init', '--dir', initialized.dir]))
afterAll(() => initialized[Symbol.dispose]())

/** A home after `svc init`, which hashes a password and is therefore expensive. */
function madeHome() {
  const home = openHome()
  cpSync(initialized.dir, home.dir, { recursive: true })
  return { home, config: join(home.dir, 'config.toml'), passwordPath: join(home.dir, 'admin-initial-password') }
}

const quiet = createOutput({ isJson: false, stdout: { write: () => true }, stderr: { write: () => true } })
const reset = (config: string) => run({ parameters: {}, flags: { config }, env: {}, out: quiet })

test('a reset prints what was done, the username and the file of the password', async () => {
  const { home, config, passwordPath } = madeHome()
  const [before, textBefore] = [authOf(config), readFileSync(config, 'utf8')]
  writeFileSync(
    config,
    textBefore.replace('username = "admin"', 'username = "zoe" # the operator').replace('enabled = true', 'enabled = false'),
  )
  const { code, stdout, stderr } = await home.run(['admin-auth', 'reset-password', '--config', config])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^Admin password reset\. Restart the service/),
    'Admin username: zoe',
    `Admin initial password file: ${passwordPath}`,
    '',
  ])
  const after = authOf(config)
  expect(after).toMatchObject({ enabled: true, username: 'zoe', session_secret: expect.stringMatching(/^[\w-]{43}$/) })
  expect(after.session_secret).not.toBe(before.session_secret)
  const password = readFileSync(passwordPath, 'utf8')
  expect(password).toMatch(/^[\w-]{43}\n$/)
  expect(await verifyPassword(password.trim(), after.password_hash)).toBe(true)
  for (const path of [config, passwordPath]) expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(config, 'utf8')).toContain('# the operator')
  expect(stdout).not.toContain(password.trim())
})

test('SVC_CONFIG names the file too, and a blank username becomes admin', async () => {
  const { home, config } = madeHome()
  writeFileSync(config, readFileSync(config, 'utf8').replace('username = "admin"', 'username = " "'))
  const { code, stdout } = await home.run(['admin-auth', 'reset-password'], { SVC_CONFIG: config })
  expect(code).toBe(0)
  expect(stdout).toContain('Admin username: admin\n')
  expect(authOf(config).username).toBe('admin')
})

test('a refused reset changes no file', async () => {
  const { home, config, passwordPath } = madeHome()
  const [text, password] = [readFileSync(config, 'utf8'), readFileSync(passwordPath, 'utf8')]
  const command = ['admin-auth', 'reset-password']
  const hash = { SVC_ADMIN_AUTH_PASSWORD_HASH: 'x' }
  const refused = await Promise.all([
    home.run(command),
    home.run(command, { SVC_CONFIG: ' ' }),
    home.run([...command, '--config', join(home.dir, 'other.toml')]),
    home.run([...command, '--config', config], hash),
    home.run([...command, '--config', config, 'now']),
  ])
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 1, 1, 2])
  expect(refused[0]?.stderr).toContain('needs --config or SVC_CONFIG')
  expect(refused[2]?.stderr).toContain(`other.toml does not exist; run svc init --dir ${home.dir}`)
  expect(refused[3]?.stderr).toContain('SVC_ADMIN_AUTH_PASSWORD_HASH overrides')
  expect([readFileSync(config, 'utf8'), readFileSync(passwordPath, 'utf8')]).toEqual([text, password])
})

test('the previous password file is restored when the configuration cannot be saved', async () => {
  const { home, config: original, passwordPath } = madeHome()
  // A name so long that the temporary file beside it cannot be made: a lack of rights would not stop root.
  const config = join(home.dir, `${'c'.repeat(240)}.toml`)
  renameSync(original, config)
  const [text, password] = [readFileSync(config, 'utf8'), readFileSync(passwordPath, 'utf8')]
  await expect(reset(config)).rejects.toThrow(`${config} cannot be written`)
  expect([readFileSync(config, 'utf8'), readFileSync(passwordPath, 'utf8')]).toEqual([text, password])
  expect(statSync(passwordPath).mode & 0o777).toBe(0o600)
})

async function signIn({ fetch }: TestKernel, password: string): Promise<string> {
  const body = JSON.stringify({ username: testOperator.username, password })
  const answer = await fetch('/api/v1/auth/login', {
    method: 'POST',
    body,
    headers: { cookie: 'none=1', 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(200)
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

test('after the reset and a restart the old password and earlier sessions are refused', async () => {
  const { dir } = openHome()
  const config = join(dir, 'config.toml')
  const session = (svc: TestKernel, cookie: string) => svc.fetch('/api/v1/auth/session', { headers: { cookie } })
  const before = await testKernel({ plugins: [], dir })
  const cookie = await signIn(before, before.password)
  await reset(config)
  // The running service keeps the old session secret until its restart.
  expect((await session(before, cookie)).status).toBe(200)
  await before.stop()
  await using after = await testKernel({ plugins: [], dir })
  expect((await session(after, cookie)).status).toBe(401)
  const ask = (password: string) =>
    after.fetch('/api/v1/nothing', { headers: { authorization: basicAuth(testOperator.username, password) } })
  expect((await ask(after.password)).status).toBe(401)
  const password = readFileSync(join(dir, 'admin-initial-password'), 'utf8').trim()
  expect((await ask(password)).status).toBe(404)
  expect((await session(after, await signIn(after, password))).status).toBe(200)
})
