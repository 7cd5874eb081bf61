import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SvcHome, svcHome } from '../testing/run-svc.ts'

let home: SvcHome
let config = ''
beforeAll(async () => {
  home = svcHome()
  await home.run(['init'])
  config = join(home.dir, '.svc', 'config.toml')
})
afterAll(() => home?.[Symbol.dispose]())

const key = { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) }
const validate = (env: Readonly<Record<string, string>>, ...flags: string[]) => home.run(['config', 'validate', ...flags], env)

test('a configuration with which svc serve would start in full mode is valid', async () => {
  expect(await validate(key)).toEqual({ code: 0, stderr: '', stdout: `${config} and the environment are valid.\n` })
  expect(JSON.parse((await validate(key, '--json')).stdout)).toEqual({ valid: true, config, problems: [] })
})

test('every problem of the file and of the environment is listed with its place, and the exit code is 1', async () => {
  const wrong = join(home.dir, 'wrong.toml')
  writeFileSync(wrong, `${readFileSync(config, 'utf8').replace('# default_copies = 3', 'default_copies = 9')}\n[cash]\nmax = 1\n`)
  const { code, stdout, stderr } = await validate({ SVC_CACHE_MAX_SIZE_GB: 'big' }, '-c', wrong)
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    '4 problems:',
    expect.stringMatching(/^ {2}cash is not a setting of this service$/),
    expect.stringMatching(/^ {2}/),
    expect.stringMatching(/^ {2}/),
    expect.stringMatching(/^ {2}/),
    '',
  ])
  for (const line of ['SVC_CACHE_MAX_SIZE_GB must be a number (was a string)', 'chain.default_copies must be at most 8 (was 9)']) {
    expect(stdout).toContain(`\n  ${line}\n`)
  }
  expect(stdout).toContain('\n  chain.private_key is required: ')
  const { problems } = JSON.parse((await validate({ SVC_CACHE_MAX_SIZE_GB: 'big' }, '-c', wrong, '--json')).stdout)
  expect(problems).toContainEqual({
    field: 'cache.max_size_gb',
    message: 'must be a number (was a string)',
    variable: 'SVC_CACHE_MAX_SIZE_GB',
  })
})

test.each([
  ['no TOML', 'a = = 1\n', 'is not valid TOML: line 1, column 5: expected a value'],
  ['a choice of plugins that cannot start', '[plugins]\ndisabled = ["ghost"]\n', "plugins.disabled names 'ghost', which does not exist"],
])('a file with %s is a problem, as text and as JSON', async (_name, text, message) => {
  const path = join(home.dir, 'broken.toml')
  writeFileSync(path, text)
  expect(await validate(key, '-c', path)).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining(message) })
  const json = await validate(key, '-c', path, '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, problems: [{ message: expect.stringContaining(message) }] })
})

test.each([
  [{ SVC_PLUGINS_DISABLED: 'ghost' }, "SVC_PLUGINS_DISABLED names 'ghost', which does not exist"],
  [{ SVC_PLUGINS_PACKAGES: './gone.js' }, "SVC_PLUGINS_PACKAGES names './gone.js', which cannot be loaded"],
  [{ SVC_ADMIN_AUTH_ENABLED: 'false', SVC_ADMIN_ADDR: '0.0.0.0:9090' }, 'SVC_ADMIN_ADDR must be a loopback address'],
  [{ SVC_CACHE_DIR: '/etc/svc' }, 'SVC_CACHE_DIR must be outside of /etc, which belongs to the system (was "/etc/svc")'],
  [{ SVC_DATABASE_DSN: '/proc/svc.db' }, 'SVC_DATABASE_DSN must be a file outside of /proc, which belongs to the system (was (hidden))'],
  [{ SVC_SERVER_TLS_KEY_FILE: '/' }, 'SVC_SERVER_TLS_KEY_FILE must be a file, not a folder (was "/")'],
])('of %j the problem names the variable and not the file', async (env, message) => {
  const { code, stdout } = await validate({ ...key, ...env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`1 problem:\n  ${message}`) })
})

test('a rule across keys that a variable breaks names the variable in its text, and no single variable as JSON', async () => {
  const env = { ...key, SVC_ADMIN_AUTH_ENABLED: 'false' }
  const open = join(home.dir, 'open.toml')
  writeFileSync(open, readFileSync(config, 'utf8').replace('# addr = "127.0.0.1:9090"', 'addr = "0.0.0.0:9090"'))
  expect((await validate(env, '-c', open)).stdout).toContain('\n  with SVC_ADMIN_AUTH_ENABLED, admin.addr must be a loopback address')
  const { problems } = JSON.parse((await validate(env, '-c', open, '--json')).stdout)
  expect(problems).toEqual([{ field: 'admin.addr', message: expect.stringContaining('must be a loopback address') }])
})

test('a cache that contains the database and the configuration is refused', async () => {
  const { stdout } = await validate({ ...key, SVC_CACHE_DIR: join(home.dir, '.svc') })
  expect(stdout).toMatch(/^1 problem:\n {2}SVC_CACHE_DIR must be a folder of its own, such as .+ contains the database /)
})

test('a file that does not exist is one problem', async () => {
  const { code, stdout } = await validate(key, '-c', '/nowhere/config.toml')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '1 problem:\n  /nowhere/config.toml does not exist; run svc init --dir /nowhere\n' })
})
