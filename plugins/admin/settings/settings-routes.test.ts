import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSections, definePlugin, defineSection, setting } from '#kernel'
import { promised, type TestKernelOptions } from '#kernel/testing'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { readSettings, saveSettings, validateSettings } from './settings-api.ts'

const editable = { editable: true } as const
const chainPlugin = definePlugin({
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
          private_key: setting.secret({ label: 'Key', doc: 'the key of the wallet', required: true, default: '' }),
          default_copies: setting.integer({ label: 'Copies', doc: 'How many.', default: 3, min: 1, max: 8, ...editable }),
          minimum: setting.integer({ label: 'Minimum', doc: 'At least.', default: 1, ...editable }),
        },
        check: ({ default_copies, minimum }) =>
          minimum > default_copies ? [{ key: 'minimum', message: `must not be above ${default_copies}` }] : [],
      }),
      defineSection('chain.watch', {
        doc: 'Watching.',
        keys: { interval: setting.duration({ label: 'Interval', doc: 'Pause.', default: '5m', ...editable }) },
      }),
    ),
  ],
})
const key = 'a wallet key that nobody may see'

const start = (options: Partial<TestKernelOptions> = {}) =>
  testAdmin({ plugins: [chainPlugin], ...options, config: { 'chain.private_key': key, ...options.config } })
const startInSetupMode = () => testAdmin({ plugins: [chainPlugin] })
const put = (admin: TestAdmin, body: unknown) => admin.call('PUT', '/api/v1/settings', body)
const fileOf = (admin: TestAdmin) => readFileSync(join(admin.dir, 'config.toml'), 'utf8')

test('settings show values and metadata, and no secret', async () => {
  await using admin = await start()
  const answer = await admin.call('GET', '/api/v1/settings')
  const settings = promised(readSettings, answer)
  expect(settings).toMatchObject({
    mode: 'ready',
    config_path: join(admin.dir, 'config.toml'),
    writable: true,
    runtime_available: true,
    restart_required: false,
    runtime_chain_default_copies: 3,
    s3_users: { available: false, reason: 'the plugin s3 is disabled' },
    config: { chain: { network: 'calibration', default_copies: 3, minimum: 1, watch: { interval: '5m' } }, logging: { level: 'info' } },
    secrets: { chain_private_key_configured: true },
    manual: { chain_private_key: { configured: true, env: 'SVC_CHAIN_PRIVATE_KEY' }, database: { driver: 'sqlite', dsn: 'configured' } },
    defaults: {},
    env_managed: {},
  })
  expect(settings.metadata['chain.default_copies']).toEqual({
    label: 'Copies',
    description: 'How many.',
    group: 'chain',
    type: 'integer',
    default: 3,
    min: 1,
    max: 8,
    env: 'SVC_CHAIN_DEFAULT_COPIES',
    source: 'default',
    editable: true,
    secret: false,
    required: false,
    restart: true,
    risk: 'none',
  })
  expect(settings.metadata['chain.network']).toMatchObject({ allowed: ['calibration', 'mainnet'], risk: 'high' })
  expect(settings.metadata['admin.auth.password_hash']).toMatchObject({ secret: true, editable: false })
  expect(settings.config).not.toHaveProperty('admin')
  expect(JSON.stringify(answer.body)).not.toContain(key)
  expect(JSON.stringify(answer.body)).not.toContain('$scrypt$')
})

test('a change is saved without changing the rest of the file, and takes effect at the restart', async () => {
  await using admin = await start()
  writeFileSync(join(admin.dir, 'config.toml'), `# mine\n${fileOf(admin)}`)
  const saved = promised(saveSettings, await put(admin, { chain: { default_copies: 5, watch: { interval: '90s' } } }))
  expect(saved).toMatchObject({
    restart_required: true,
    pending: expect.arrayContaining([
      { field: 'chain.default_copies', label: expect.any(String), running: 3, next: 5 },
      expect.objectContaining({ field: 'chain.watch.interval', next: '90s' }),
    ]),
    runtime_chain_default_copies: 3,
    config: { chain: { default_copies: 5, network: 'calibration', watch: { interval: '90s' } } },
  })
  expect(fileOf(admin)).toContain('# mine')
  expect(fileOf(admin)).toMatch(/default_copies = 5/)
  expect(fileOf(admin)).toContain(key)
  expect(promised(readSettings, await admin.call('GET', '/api/v1/settings')).restart_required).toBe(true)
})

test('a file that was edited by hand waits for a restart too', async () => {
  await using admin = await start()
  writeFileSync(join(admin.dir, 'config.toml'), `${fileOf(admin)}\n[logging]\nlevel = "debug"\n`)
  const settings = promised(readSettings, await admin.call('GET', '/api/v1/settings'))
  expect([settings.restart_required, settings.pending?.map(({ field }) => field)]).toEqual([true, ['logging.level']])
})

test.each([
  ['an unknown table', { cash: { dir: 'x' } }, 'cash'],
  ['an unknown name', { chain: { copies: 3 } }, 'chain.copies'],
  ['a secret', { chain: { private_key: 'x' } }, 'chain.private_key'],
  ['a setting of the file only', { admin: { addr: '0.0.0.0:80' } }, 'admin.addr'],
  ['null', { chain: { default_copies: null } }, 'chain.default_copies'],
  ['a value out of range', { chain: { default_copies: 9 } }, 'chain.default_copies'],
  ['a text for a number', { chain: { default_copies: '5' } }, 'chain.default_copies'],
  ['an unknown choice', { chain: { network: 'testnet' } }, 'chain.network'],
  ['an invalid duration', { chain: { watch: { interval: 'soon' } } }, 'chain.watch.interval'],
  ['values that do not fit together', { chain: { default_copies: 2, minimum: 3 } }, 'chain.minimum'],
  ['a plugin that is not there', { plugins: { disabled: ['none'] } }, 'plugins.disabled'],
  ['the plugin that serves the settings', { plugins: { disabled: ['admin'] } }, 'plugins.disabled'],
])('%s is refused with its field, and nothing is saved', async (_what, body, field) => {
  await using admin = await start()
  const before = fileOf(admin)
  const refused = await put(admin, { ...body, logging: { level: 'debug' } })
  expect(refused).toMatchObject({ status: 400, body: { code: 'settings_invalid', fields: [{ field, message: expect.any(String) }] } })
  expect(fileOf(admin)).toBe(before)
  expect((await admin.call('GET', '/api/v1/settings')).body.restart_required).toBe(false)
})

test('settings of the environment are named, and cannot be changed here', async () => {
  await using admin = await start({ env: { SVC_CHAIN_DEFAULT_COPIES: '4' } })
  const settings = promised(readSettings, await admin.call('GET', '/api/v1/settings'))
  expect(settings.env_managed).toEqual({ 'chain.default_copies': 'SVC_CHAIN_DEFAULT_COPIES' })
  expect(settings.config).toMatchObject({ chain: { default_copies: 4 } })
  const refused = await put(admin, { chain: { default_copies: 4 } })
  expect(refused.body.fields).toEqual([{ field: 'chain.default_copies', message: 'is managed by SVC_CHAIN_DEFAULT_COPIES' }])
  expect((await put(admin, { chain: { network: 'mainnet' } })).status).toBe(200)
})

test('validation names the same problems and saves nothing', async () => {
  await using admin = await start()
  const check = (body: unknown) => admin.call('POST', '/api/v1/settings/validate', body)
  expect(promised(validateSettings, await check({ chain: { default_copies: 2 } }))).toEqual({ validation_errors: [] })
  const { validation_errors } = promised(validateSettings, await check({ chain: { default_copies: 0 }, logging: { level: 'loud' } }))
  expect(validation_errors.map(({ field }) => field).sort()).toEqual(['chain.default_copies', 'logging.level'])
  expect(await check({ chain: { private_key: 'x' } })).toMatchObject({ status: 400, body: { code: 'settings_invalid' } })
  expect(fileOf(admin)).not.toContain('default_copies')
})

test.each(['PUT /api/v1/settings', 'POST /api/v1/settings/validate'])('%s takes one JSON object of the right type', async (line) => {
  await using admin = await start()
  const [method = '', path = ''] = line.split(' ')
  const json = { 'content-type': 'application/json' }
  for (const [body, headers] of [
    ['{}', { 'content-type': 'text/plain' }],
    ['[]', json],
    ['{', json],
    ['{} {}', json],
    [`{"a":"${'x'.repeat(1_048_577)}"}`, json],
  ] as const) {
    const response = await admin.fetch(path, { method, body, headers })
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_request' }])
  }
})

test('in setup mode the settings name what is missing and can be saved, and other routes are refused', async () => {
  await using admin = await startInSetupMode()
  expect(admin.kernel.mode).toBe('setup')
  const settings = promised(readSettings, await admin.call('GET', '/api/v1/settings'))
  expect(settings).toMatchObject({
    mode: 'setup',
    runtime_available: false,
    s3_users: { available: false },
    secrets: { chain_private_key_configured: false },
    validation_errors: [{ field: 'chain.private_key' }],
  })
  expect(settings).not.toHaveProperty('runtime_chain_default_copies')
  expect((await put(admin, { chain: { default_copies: 5 } })).status).toBe(200)
  for (const path of ['buckets', 'overview', 'events', 'system/info', 'cache/stats']) {
    expect(await admin.call('GET', `/api/v1/${path}`)).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
  }
})

test('in setup mode, too, values must fit together', async () => {
  await using admin = await startInSetupMode()
  expect((await put(admin, { chain: { default_copies: 2, minimum: 3 } })).body.fields).toMatchObject([{ field: 'chain.minimum' }])
  expect(fileOf(admin)).not.toContain('minimum')
})

test('settings that only a disabled plugin reads need not be complete', async () => {
  await using admin = await testAdmin({ plugins: [chainPlugin], config: { 'plugins.disabled': ['chain'] } })
  const settings = promised(readSettings, await admin.call('GET', '/api/v1/settings'))
  expect(settings).toMatchObject({ mode: 'ready', runtime_available: true, secrets: { chain_private_key_configured: false } })
  expect(settings).not.toHaveProperty('validation_errors')
})

test('saved settings are in effect after the restart', async () => {
  await using first = await startInSetupMode()
  const { dir } = first
  await put(first, { chain: { default_copies: 5 } })
  writeFileSync(join(dir, 'config.toml'), fileOf(first).replace('[chain]', `[chain]\nprivate_key = "${key}"`))
  await first.kernel.stop()
  await using second = await testAdmin({ plugins: [chainPlugin], dir })
  const settings = promised(readSettings, await second.call('GET', '/api/v1/settings'))
  expect(settings).toMatchObject({ mode: 'ready', restart_required: false, runtime_chain_default_copies: 5 })
})

test.each([
  ['PUT', '/api/v1/settings'],
  ['POST', '/api/v1/settings/validate'],
])('%s %s takes 64 KiB', async (method, path) => {
  await using admin = await start()
  const sized = (bytes: number) => `{"logging":{"level":"info"${' '.repeat(bytes - 29)} }}`
  const send = (body: string) => admin.fetch(path, { method, body, headers: { 'content-type': 'application/json' } })
  expect(sized(65_536)).toHaveLength(65_536)
  expect((await send(sized(65_536))).status).toBe(200)
  const refused = await send(sized(65_537))
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'The body must not be larger than 65536 bytes.' }])
})

test('of thousands of problems 50 are listed', async () => {
  await using admin = await start()
  const unknown = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`unknown_${n}`, n]))
  for (const [method, path] of [
    ['PUT', '/api/v1/settings'],
    ['POST', '/api/v1/settings/validate'],
  ] as const) {
    const { status, body } = await admin.call(method, path, { chain: unknown })
    expect([status, body.code, body.fields.length]).toEqual([400, 'settings_invalid', 50])
    expect(body.error).toMatch(/; and 2950 more problems$/)
  }
})
