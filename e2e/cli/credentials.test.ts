/** The order in which configuration, address and password are looked up. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'
import { type Service, startService } from './service.ts'

let service: Service
let passwordPath = ''
beforeAll(async () => {
  service = await startService({}, { setup: true })
  passwordPath = join(dirname(service.configPath), 'admin-initial-password')
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** Runs without the file of the first password. */
async function withoutPasswordFile<T>(use: () => Promise<T>): Promise<T> {
  rmSync(passwordPath)
  try {
    return await use()
  } finally {
    writeFileSync(passwordPath, `${service.password}\n`)
  }
}

const ask = (env: Readonly<Record<string, string>> = {}) =>
  service.run(
    [
      'admin',
      '--admin-url',
      service.adminUrl,
      '--json',
      '--timeout',
      '20s',
      'settings',
      'get',
      's3.region',
      '--value',
      '-c',
      service.configPath,
    ],
    env,
  )
const answered = { code: 0, stdout: '"us-east-1"\n', stderr: '' }

test('flags may follow admin directly; the password comes from the file next to the configuration', async () => {
  expect(await ask()).toEqual(answered)
})

test('SVC_ADMIN_PASSWORD overrides the file, and a wrong password is refused with the next step', async () => {
  expect(await ask({ SVC_ADMIN_PASSWORD: 'wrong' })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'fatal: The username or password is wrong; set SVC_ADMIN_PASSWORD, or make a new password with svc admin-auth reset-password\n',
  })
  expect(await withoutPasswordFile(() => ask({ SVC_ADMIN_PASSWORD: service.password }))).toEqual(answered)
})

test('in setup mode admin status lists what is missing, and other commands report the mode', async () => {
  const status = await service.svc('admin', 'status')
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(status.stdout).toContain(`Status: setup\nMode: setup\nConfig: ${service.configPath}\nWritable: yes\nRestart required: no\n`)
  expect(status.stdout).toMatch(/FIELD +MESSAGE\nchain\.private_key +is required/)
  expect(await service.svc('admin', 's3-user', 'list')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'fatal: The service is in setup mode: supply the settings that `svc admin status` names, and restart it.\n',
  })
})

test('without password and terminal the error names both places for a password', async () => {
  expect(await withoutPasswordFile(ask)).toEqual({
    code: 1,
    stdout: '',
    stderr: `fatal: the Admin password is not known: set SVC_ADMIN_PASSWORD, or put it into ${passwordPath}\n`,
  })
})

test.skipIf(isTerminalMissing)('on a terminal the password is asked for last, and not shown', async () => {
  const line = ['admin', 'settings', 'get', 's3.region', '--value', '--admin-url', service.adminUrl, '-c', service.configPath]
  const { code, shown } = await withoutPasswordFile(() => runOnTerminal(line, { answer: [/Password of admin: /, `${service.password}\r`] }))
  expect({ code, shown }).toEqual({ code: 0, shown: 'Password of admin: \nus-east-1\n' })
})

test.skipIf(isTerminalMissing)('Ctrl-C at the password prompt ends the command', async () => {
  const line = ['admin', 'task', 'stats', '--admin-url', service.adminUrl, '-c', service.configPath]
  const { code, shown } = await withoutPasswordFile(() => runOnTerminal(line, { answer: [/Password of admin: /, '\u0003'] }))
  expect({ code, shown }).toEqual({ code: 1, shown: 'Password of admin: \nfatal: cancelled\n' })
})

test('the configuration is --config or -c, then a non-empty SVC_CONFIG, then ~/.svc/config.toml', async () => {
  using home = svcHome()
  await home.run(['init'])
  const say = (path: string, address: string) => writeFileSync(path, `[admin]\naddr = "${address}"\n`)
  const [flagged, named] = [join(home.dir, 'flagged.toml'), join(home.dir, 'named.toml')]
  say(flagged, '127.0.0.2:9')
  say(named, '127.0.0.3:9')
  say(join(home.dir, '.svc', 'config.toml'), '127.0.0.4:9')
  const addressOf = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { stderr } = await home.run(['admin', 'status', ...words], { SVC_ADMIN_PASSWORD: 'x', ...env })
    return /http:\/\/(127\.0\.0\.\d)/.exec(stderr)?.[1]
  }
  expect(await addressOf(['--config', flagged], { SVC_CONFIG: named })).toBe('127.0.0.2')
  expect(await addressOf(['-c', flagged], { SVC_CONFIG: named })).toBe('127.0.0.2')
  expect(await addressOf([], { SVC_CONFIG: named })).toBe('127.0.0.3')
  expect(await addressOf([], { SVC_CONFIG: '' })).toBe('127.0.0.4')
  expect(await addressOf([])).toBe('127.0.0.4')
  expect(await addressOf(['-c', flagged, '--admin-url', 'http://127.0.0.5:9'])).toBe('127.0.0.5')
})

// Last, because it exhausts the attempts of this address.
test('the error after too many wrong passwords says how many seconds to wait', async () => {
  const basic = `Basic ${Buffer.from('admin:wrong').toString('base64')}`
  const guess = () => service.call('GET', '/api/v1/settings', { as: 'nobody', headers: { authorization: basic } })
  for (let status = 401; status === 401; ) ({ status } = await guess())
  expect(await ask({ SVC_ADMIN_PASSWORD: 'wrong' })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^fatal: Too many failed passwords [^\n]*; the service asks to wait \d+ s\n$/),
  })
})
