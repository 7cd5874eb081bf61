// Settings in the written file, in the Admin API and in the commands.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '#kernel/host'
import { valueAt } from '#kernel/system'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../plugins/index.ts'
import { svcHome } from './testing/run-svc.ts'

const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

/** Dotted path, default, and another valid value. */
const editableKeys: readonly (readonly [field: string, fallback: unknown, other: unknown])[] = [
  ['server.port', ':8080', ':8081'],
  ['server.max_connections', 4096, 2048],
  ['server.max_connections_per_client', 0, 512],
  ['server.max_requests', 512, 256],
  ['server.tls.enabled', false, false],
  ['server.tls.cert_file', '', '/cert.pem'],
  ['server.tls.key_file', '', '/key.pem'],
  ['s3.region', 'us-east-1', 'eu-west-1'],
  ['chain.network', 'calibration', 'mainnet'],
  ['chain.rpc_url', 'https://api.calibration.node.glif.io/rpc/v1', 'http://127.0.0.1:10/'],
  ['chain.with_cdn', false, true],
  ['chain.allow_private_networks', false, true],
  ['chain.default_copies', 3, 4],
  ['chain.default_minimum_durable_copies', 0, 2],
  ['cache.dir', expect.stringMatching(/\/cache$/), '/elsewhere'],
  ['cache.max_size_gb', 100, 50],
  ['cache.eviction_policy', 'lru', 'none'],
  ['cache.lru_high_watermark_percent', 90, 70],
  ['cache.lru_low_watermark_percent', 80, 60],
  ['worker.tasks.concurrency', 12, 6],
  ['worker.tasks.provider_mutation_concurrency', 4, 2],
  ['worker.tasks.destructive_mutation_concurrency', 2, 1],
  ['worker.tasks.poll_interval', '5s', '10s'],
  ['worker.tasks.lease_duration', '60s', '2m'],
  ['worker.tasks.max_retries', 11, 5],
  ['worker.tasks.retention', '168h', '24h'],
  ['logging.level', 'info', 'warn'],
  ['logging.format', 'text', 'json'],
  ['logging.s3_access.enabled', true, false],
  ['logging.s3_access.level', 'info', 'debug'],
]
const fileKeys = ['chain.private_key', 'database.driver', 'database.dsn', 'admin.addr', 'admin.trusted_proxies']
const authKeys = ['enabled', 'username', 'password_hash', 'session_secret', 'session_ttl'].map((key) => `admin.auth.${key}`)

const nest = (field: string, value: unknown) => field.split('.').reduceRight<unknown>((inner, word) => ({ [word]: inner }), value)

test('every setting has complete metadata, and only the listed ones are editable', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  const { metadata } = (await svc.call('GET', '/api/v1/settings')).body
  for (const [field, fallback] of editableKeys) {
    const env = `SVC_${field.toUpperCase().replaceAll('.', '_')}`
    expect({ field, ...metadata[field] }).toMatchObject({ field, editable: true, secret: false, env, restart: true })
    expect(metadata[field]).toMatchObject({ label: expect.stringMatching(/\S/), description: expect.stringMatching(/\S/) })
    expect(metadata[field]).toMatchObject({
      group: field.slice(0, field.lastIndexOf('.')),
      risk: expect.stringMatching(/none|review|high/),
    })
    expect([field, metadata[field].default]).toEqual([field, fallback])
  }
  for (const field of [...fileKeys, ...authKeys]) expect(metadata[field]).toMatchObject({ editable: false })
  expect(metadata['worker.tasks.max_retries']).toMatchObject({ type: 'integer', min: 0, risk: 'review' })
  expect(metadata['worker.tasks.provider_mutation_concurrency']).toMatchObject({ type: 'integer', min: 1 })
  expect(metadata['logging.s3_access.level']).toMatchObject({ allowed: expect.arrayContaining(['debug', 'info', 'warn', 'error']) })
  expect(metadata['chain.default_copies']).toMatchObject({ min: 1, max: 8 })
  expect(metadata['chain.network'].risk).toBe('high')
  // A bound that only says how large a number can be is not shown.
  const bounds = Object.entries<{ max?: number }>(metadata).filter(([, { max = 0 }]) => max >= Number.MAX_SAFE_INTEGER)
  expect(bounds.map(([field]) => field)).toEqual([])
  expect(metadata['s3.limits.user_objects']).toMatchObject({ min: 0, description: expect.stringContaining('0: no limit.') })
})

test('every editable setting is saved through the API, and the service would start with all of them', async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  for (const [field, , other] of editableKeys) {
    const saved = await svc.call('PUT', '/api/v1/settings', nest(field, other))
    expect([field, saved.status, saved.body.fields]).toEqual([field, 200, undefined])
    expect([field, valueAt(saved.body.config, field)]).toEqual([field, other])
  }
  const { tree } = readConfigFile(join(svc.dir, 'config.toml'))
  expect(editableKeys.map(([field]) => [field, valueAt(tree, field)])).toEqual(editableKeys.map(([field, , other]) => [field, other]))
  expect((await svc.call('GET', '/api/v1/settings')).body).toMatchObject({ mode: 'ready', restart_required: true })
})

test.each([
  ['worker.tasks.max_retries', -1],
  ['worker.tasks.provider_mutation_concurrency', 0],
  ['worker.tasks.destructive_mutation_concurrency', 0],
  ['logging.s3_access.enabled', 'yes'],
  ['logging.s3_access.level', 'loud'],
  ['chain.default_minimum_durable_copies', 4],
  ['server.port', ':65536'],
])('%s = %j is refused with its field', async (field, value) => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  expect(await svc.call('PUT', '/api/v1/settings', nest(field, value))).toMatchObject({
    status: 400,
    body: { code: 'settings_invalid', fields: [{ field, message: expect.any(String) }] },
  })
})

test('settings in nested tables are set and read by the commands', async () => {
  using home = svcHome()
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  const admin = (...words: readonly string[]) =>
    home.run(['--config', join(svc.dir, 'config.toml'), 'admin', '--admin-url', svc.url, ...words], { SVC_ADMIN_PASSWORD: svc.password })
  const set = await admin('settings', 'set', 'worker.tasks.max_retries=2', 'logging.s3_access.enabled=false')
  expect(set).toMatchObject({ code: 0, stdout: 'Settings saved\nRestart required: yes\n' })
  expect((await admin('settings', 'get', 'logging.s3_access.enabled', '--value')).stdout).toBe('false\n')
  expect(readFileSync(join(svc.dir, 'config.toml'), 'utf8')).toMatch(/max_retries = 2/)
})
