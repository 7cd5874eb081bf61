import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choice, configSections, defineHealthCheck, definePlugin, defineSection, flag, healthChecks, integer, list, secret } from '#kernel'
import { type CommandWords, runCommand } from '#kernel/testing'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { adminCommands } from './commands.ts'

const editable = { editable: true } as const
const chain = definePlugin({
  id: 'chain',
  contributes: [
    configSections.with(
      defineSection('chain', {
        doc: 'The storage network.',
        keys: {
          network: choice(['calibration', 'mainnet'], { label: 'Network', doc: 'Which.', default: 'calibration', ...editable }),
          private_key: secret({ label: 'Key', doc: 'the key of the wallet', required: true, default: '' }),
          allow_private_networks: flag({ label: 'Private networks', doc: 'Whether.', default: false, ...editable }),
          default_copies: integer({ label: 'Copies', doc: 'How many.', default: 3, min: 1, max: 8, ...editable }),
          peers: list({ label: 'Peers', doc: 'Who.', default: [], ...editable }),
        },
      }),
    ),
  ],
})

const start = (config = { 'chain.private_key': 'a key of the wallet' }, env = {}) => testAdmin({ plugins: [chain], config, env })
const run = (admin: TestAdmin, name: string, words: CommandWords = {}) =>
  runCommand(
    adminCommands.find((command) => command.name === name),
    admin,
    words,
  )
const set = (admin: TestAdmin, pairs: readonly string[], flags = {}) => run(admin, 'admin settings set', { parameters: { pairs }, flags })
const get = (admin: TestAdmin, key?: string, flags = {}) =>
  run(admin, 'admin settings get', { parameters: key === undefined ? {} : { key }, flags })

test('status shows health, version, cache and workers', async () => {
  await using admin = await start()
  const { code, stdout } = await run(admin, 'admin status')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^svc at http:\/\/127\.0\.0\.1:\d+\nStatus: ok\nVersion: \S+\nCommit: \S+\nBuilt: \S+\nUptime: \d+s\n/)
  expect(stdout).toMatch(/USED {2}LIMIT +USAGE\n0 B +1\.00 GiB +0\.0%\n/)
  expect(stdout).toMatch(/NAME +STATUS\ntasks +healthy\n$/)
  const json = JSON.parse((await run(admin, 'admin status', { flags: { json: true } })).stdout)
  expect(json).toMatchObject({ health: { status: 'ok' }, system: { mode: 'full' }, workers: { tasks: true }, cache: { used_bytes: 0 } })
})

test('status of a service in setup mode names what is missing', async () => {
  await using admin = await start({ 'chain.private_key': '' })
  const { code, stdout } = await run(admin, 'admin status')
  expect(code).toBe(0)
  expect(stdout).toContain(`Status: setup\nMode: setup\nConfig: ${admin.dir}/config.toml\nWritable: yes\nRestart required: no\n`)
  expect(stdout).toMatch(/FIELD +MESSAGE\nchain\.private_key +is required/)
  const json = JSON.parse((await run(admin, 'admin status', { flags: { json: true } })).stdout)
  expect(json).toMatchObject({ health: { status: 'setup' }, settings: { mode: 'setup' } })
})

test('status of an unhealthy service names what is wrong and fails', async () => {
  const broken = defineHealthCheck({ name: 'broken', uses: {}, check: async () => 'cache: directory not found' })
  await using admin = await testAdmin({ plugins: [definePlugin({ id: 'broken', contributes: [healthChecks.with(broken)] })] })
  const { code, stdout, stderr } = await run(admin, 'admin status')
  expect([code, stdout, stderr]).toEqual([1, '', 'Status: unhealthy\nErrors:\n  cache: directory not found\n'])
  const json = await run(admin, 'admin status', { flags: { json: true } })
  expect([json.code, JSON.parse(json.stdout)]).toEqual([1, { health: { status: 'unhealthy', errors: ['cache: directory not found'] } }])
})

test('settings are shown by table, or one of them bare', async () => {
  await using admin = await start()
  const { stdout } = await get(admin)
  expect(stdout).toContain(`Config: ${admin.dir}/config.toml\nRestart required: no\n`)
  expect(stdout).toMatch(/\[chain\]\nKEY +VALUE +MEANING\n/)
  expect(stdout).toMatch(/default_copies +3 +Copies\n/)
  expect(stdout).toMatch(/allow_private_networks +no +Private networks\n/)
  expect(stdout).not.toContain('a key of the wallet')
  expect((await get(admin, 'chain.default_copies')).stdout).toBe('3\n')
  expect((await get(admin, 'chain.allow_private_networks')).stdout).toBe('false\n')
  expect(JSON.parse((await get(admin, 'chain.peers', { json: true })).stdout)).toEqual({ 'chain.peers': [] })
  expect(JSON.parse((await get(admin, undefined, { json: true })).stdout)).toMatchObject({ mode: 'ready' })
  await expect(get(admin, 'chain.private_key')).rejects.toMatchObject({ exitCode: 2 })
  await expect(get(admin, 'chain.copies')).rejects.toMatchObject({ exitCode: 2 })
})

test('settings are set in the form of the file', async () => {
  await using admin = await start()
  const { stdout } = await set(admin, ['chain.default_copies=5', 'chain.peers=a,b', 'logging.level=debug'])
  expect(stdout).toBe('Settings saved\nRestart required: yes\n')
  const file = readFileSync(join(admin.dir, 'config.toml'), 'utf8')
  expect(file).toMatch(/default_copies = 5/)
  expect(file).toMatch(/peers = \[ ?'a', 'b' ?\]|peers = \[ ?"a", "b" ?\]/)
  expect((await get(admin, 'chain.peers')).stdout).toBe('a,b\n')
})

test.each([
  [['default_copies'], '"default_copies" must be key=value'],
  [['=5'], '"=5" must be key=value'],
  [['logging.level=debug', 'logging.level=info'], 'logging.level is given twice'],
  [['chain.copies=5'], 'chain.copies is not a setting of this service'],
  [['chain.private_key=x'], 'chain.private_key is changed in'],
  [['chain.network=mainnet'], 'chain.network=mainnet must be confirmed with --yes'],
  [['chain.allow_private_networks=true'], 'chain.allow_private_networks=true must be confirmed with --yes'],
])('setting %s is wrong use', async (pairs, message) => {
  await using admin = await start()
  await expect(set(admin, pairs)).rejects.toMatchObject({ message: expect.stringContaining(message), exitCode: 2 })
})

test('a confirmed change is made, a value that does not fit is explained, and the environment wins', async () => {
  await using admin = await start(undefined, { SVC_CHAIN_DEFAULT_COPIES: '4' })
  expect((await set(admin, ['chain.network=mainnet'], { yes: true })).stdout).toContain('Settings saved')
  await expect(set(admin, ['chain.allow_private_networks=maybe'])).rejects.toThrow('chain.allow_private_networks must be')
  await expect(set(admin, ['chain.default_copies=4'])).rejects.toThrow('is managed by SVC_CHAIN_DEFAULT_COPIES')
  expect((await get(admin)).stdout).toContain('Copies (set by SVC_CHAIN_DEFAULT_COPIES)')
})
