import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { configSections, defineHealthCheck, definePlugin, defineSection, healthChecks, setting } from '#kernel'
import { settingDefaults } from '#kernel/system'
import { defineOverviewPart, overviewParts } from '../contract.ts'
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
          network: setting.choice(['calibration', 'mainnet'], {
            label: 'Network',
            doc: 'Which.',
            default: 'calibration',
            risk: 'high',
            ...editable,
          }),
          rpc_url: setting.text({ label: 'Node', doc: 'Chain node.', ...editable }),
          private_key: setting.secret({ label: 'Key', doc: 'the key of the wallet', required: true, default: '' }),
          allow_private_networks: setting.flag({ label: 'Private networks', doc: 'Whether.', default: false, ...editable }),
          default_copies: setting.integer({ label: 'Copies', doc: 'How many.', default: 3, min: 1, max: 8, ...editable }),
          retries: setting.integer({ label: 'Retries', doc: 'How often.', default: 1, risk: 'high', ...editable }),
          peers: setting.list({ label: 'Peers', doc: 'Who.', default: [], ...editable }),
        },
      }),
    ),
    settingDefaults.with({
      name: 'chain_rpc_urls',
      load: async () => ({ calibration: 'https://calibration.example/rpc' }),
      field: 'chain.rpc_url',
      defaultWith: async (values) => (values.get('chain.network') === 'calibration' ? 'https://calibration.example/rpc' : undefined),
    }),
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

const worker = definePlugin({
  id: 'worker',
  contributes: [overviewParts.with(defineOverviewPart({ name: 'tasks', into: 'workers', uses: {}, summarise: () => ({ tasks: true }) }))],
})

test('status shows health, version, cache and workers', async () => {
  await using admin = await testAdmin({
    plugins: [chain, worker],
    config: { 'chain.private_key': 'a key of the wallet', 'cache.max_size_gb': 1 },
  })
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

test('settings are listed by section with value, source, default and meaning', async () => {
  await using admin = await start(undefined, { SVC_CHAIN_DEFAULT_COPIES: '4' })
  const { stdout } = await get(admin)
  expect(stdout).toContain(`Config: ${admin.dir}/config.toml\nRestart required: no\n`)
  expect(stdout).toMatch(/\[chain\]\nKEY +VALUE +SOURCE +DEFAULT +MEANING\n/)
  expect(stdout).toMatch(/default_copies +4 +environment \(SVC_CHAIN_DEFAULT_COPIES\) +3 +Copies\n/)
  expect(stdout).toMatch(/allow_private_networks +no +default +no +Private networks\n/)
  expect(stdout).not.toContain('a key of the wallet')
  expect(JSON.parse((await get(admin, undefined, { json: true })).stdout)).toMatchObject({ mode: 'ready' })
})

test('one section is listed alone, with the meanings in full', async () => {
  await using admin = await start()
  await set(admin, ['logging.level=debug'])
  const { stdout } = await get(admin, 'logging')
  expect(stdout).toMatch(/^KEY +VALUE +SOURCE +DEFAULT +MEANING\nlevel +debug +file +info +Lines below this level are omitted\.\n/)
  expect(JSON.parse((await get(admin, 'logging', { json: true })).stdout)).toMatchObject({
    'logging.level': { value: 'debug', source: 'file', default: 'info' },
  })
  await expect(get(admin, 'admin.auth')).rejects.toThrow(`the settings of admin.auth are read and changed in ${admin.dir}/config.toml only`)
})

test('one setting is shown with value, source, default and meaning', async () => {
  await using admin = await start()
  expect((await get(admin, 'chain.default_copies')).stdout).toBe(
    'Setting: chain.default_copies\nValue: 3\nSource: default\nDefault: 3\nEnvironment variable: SVC_CHAIN_DEFAULT_COPIES\nMeaning: How many.\n',
  )
  expect(JSON.parse((await get(admin, 'chain.peers', { json: true })).stdout)).toEqual({
    key: 'chain.peers',
    value: [],
    source: 'default',
    default: [],
    env: 'SVC_CHAIN_PEERS',
    label: 'Peers',
    description: 'Who.',
  })
  expect((await get(admin, 'chain.allow_private_networks', { value: true })).stdout).toBe('false\n')
  expect((await get(admin, 'chain.default_copies', { value: true, json: true })).stdout).toBe('3\n')
})

test('the chain node that is used is shown though the setting is absent', async () => {
  await using admin = await start()
  const { stdout } = await get(admin, 'chain.rpc_url')
  expect(stdout).toContain('Value: https://calibration.example/rpc\nSource: default\nDefault: https://calibration.example/rpc\n')
  expect(JSON.parse((await get(admin, undefined, { json: true })).stdout)).toMatchObject({
    config: { chain: { rpc_url: 'https://calibration.example/rpc' } },
    metadata: { 'chain.rpc_url': { source: 'default', default: 'https://calibration.example/rpc' } },
  })
  expect((await get(admin)).stdout).toMatch(/rpc_url +https:\/\/calibration\.example\/rpc +default/)
  await set(admin, ['chain.rpc_url=http://127.0.0.1:9/'])
  expect((await get(admin, 'chain.rpc_url')).stdout).toContain('Value: http://127.0.0.1:9/\nSource: file\n')
})

test.each([
  ['chain.private_key', {}, /^chain\.private_key is read and changed in \S+config\.toml only$/],
  ['chain.copies', {}, /^chain\.copies is not a setting of this service; svc admin settings get shows all$/],
  ['logging', { value: true }, /^--value prints one setting, and logging is a section$/],
  [undefined, { value: true }, /^--value prints one setting; name it$/],
])('settings get %s with %j is a usage error', async (key, flags, message) => {
  await using admin = await start()
  await expect(get(admin, key, flags)).rejects.toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })
})

test('settings are written to the file in its types', async () => {
  await using admin = await start()
  const { stdout } = await set(admin, ['chain.default_copies=5', 'chain.peers=a,b', 'logging.level=debug'])
  expect(stdout).toBe('Settings saved\nRestart required: yes\n')
  const file = readFileSync(join(admin.dir, 'config.toml'), 'utf8')
  expect(file).toMatch(/default_copies = 5/)
  expect(file).toMatch(/peers = \[ ?'a', 'b' ?\]|peers = \[ ?"a", "b" ?\]/)
  expect((await get(admin, 'chain.peers', { value: true })).stdout).toBe('a,b\n')
})

test.each([
  [['default_copies'], '"default_copies" must be key=value'],
  [['=5'], '"=5" must be key=value'],
  [['logging.level=debug', 'logging.level=info'], 'logging.level is given twice'],
  [['chain.copies=5'], 'chain.copies is not a setting of this service'],
  [['chain.private_key=x'], 'chain.private_key is changed in'],
  [['chain.network=mainnet'], 'chain.network=mainnet must be confirmed with --yes'],
  [['chain.allow_private_networks=true'], 'chain.allow_private_networks=true must be confirmed with --yes'],
  [['logging.level=debug', 'chain.retries=2'], 'chain.retries=2 must be confirmed with --yes'],
  [['plugins.disabled=observability'], 'plugins.disabled=observability must be confirmed with --yes'],
])('setting %s is a usage error', async (pairs, message) => {
  await using admin = await start()
  await expect(set(admin, pairs)).rejects.toMatchObject({ message: expect.stringContaining(message), exitCode: 2 })
})

test('a confirmed change is saved, an invalid value is explained, and a value of the environment cannot be changed', async () => {
  await using admin = await start(undefined, { SVC_CHAIN_DEFAULT_COPIES: '4' })
  expect((await set(admin, ['chain.network=mainnet'], { yes: true })).stdout).toContain('Settings saved')
  await expect(set(admin, ['chain.allow_private_networks=maybe'])).rejects.toThrow('chain.allow_private_networks must be')
  await expect(set(admin, ['chain.default_copies=4'])).rejects.toThrow('is managed by SVC_CHAIN_DEFAULT_COPIES')
  expect((await set(admin, ['chain.retries=1', 'plugins.disabled=', 'chain.network=calibration'])).stdout).toContain('Settings saved')
})
