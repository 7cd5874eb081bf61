/** GET /api/v1/settings: values, metadata and sources, without secrets. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cheapPasswordHash } from '#kernel/testing'
import { emptyWalletKey } from '../fixtures/gateways/gateway.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'

const sessionSecret = 'a session secret that only tests use'
let svc: ServeProcess
beforeAll(async () => {
  const env = { SVC_S3_REGION: 'eu-north-1', SVC_CACHE_MAX_SIZE_GB: '7', SVC_CACHE_EVICTION_POLICY: 'none', SVC_NOTHING: 'x' }
  svc = await startServe({ env, settings: { 'chain.default_copies': 2 } })
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const read = async () => (await svc.call('GET', '/api/v1/settings')).json

test('the response has all documented members', async () => {
  expect(await read()).toEqual({
    mode: 'ready',
    config_path: svc.configPath,
    writable: true,
    runtime_available: true,
    restart_required: false,
    restart: { supervised: false, started_at: expect.stringMatching(/Z$/), stop_seconds: 10 },
    runtime_chain_default_copies: 2,
    s3_users: { available: true },
    config: expect.any(Object),
    manual: {
      database: expect.objectContaining({ driver: 'sqlite', dsn: 'configured', dsn_configured: true }),
      admin: { addr_configured: true },
      chain_private_key: { configured: true, field: 'chain.private_key', env: 'SVC_CHAIN_PRIVATE_KEY' },
      config_doc: expect.stringContaining(svc.configPath),
    },
    secrets: { chain_private_key_configured: true },
    metadata: expect.any(Object),
    defaults: {
      chain_rpc_urls: {
        calibration: 'https://api.calibration.node.glif.io/rpc/v1',
        mainnet: 'https://api.node.glif.io/rpc/v1',
      },
    },
    env_managed: {
      's3.region': 'SVC_S3_REGION',
      'cache.max_size_gb': 'SVC_CACHE_MAX_SIZE_GB',
      'cache.eviction_policy': 'SVC_CACHE_EVICTION_POLICY',
    },
  })
})

test('values are nested as in the file and effective: from the environment, the file or the defaults', async () => {
  const { config } = await read()
  expect(config).toMatchObject({
    server: { port: '127.0.0.1:0', max_connections: 4096, max_connections_per_client: 0, max_requests: 512, tls: { enabled: false } },
    s3: { region: 'eu-north-1' },
    chain: {
      network: 'calibration',
      rpc_url: 'http://127.0.0.1:9',
      with_cdn: false,
      allow_private_networks: false,
      default_copies: 2,
      observability: { interval: '5m', timeout: '5s', concurrency: 8 },
    },
    cache: { max_size_gb: 7, eviction_policy: 'none', lru_high_watermark_percent: 90, lru_low_watermark_percent: 80 },
    worker: { tasks: { concurrency: 12, poll_interval: '5s', retention: '168h' } },
    logging: { level: 'info', format: 'json' },
  })
  for (const hidden of ['admin', 'database']) expect(config).not.toHaveProperty(hidden)
})

test('every setting is described, with the name of its variable', async () => {
  const { metadata } = await read()
  for (const [field, about] of Object.entries<Record<string, unknown>>(metadata)) {
    expect(about).toMatchObject({
      label: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
      env: `SVC_${field.replaceAll('.', '_').toUpperCase()}`,
      editable: expect.any(Boolean),
      secret: expect.any(Boolean),
      required: expect.any(Boolean),
      risk: expect.stringMatching(/^(none|review|high)$/),
      group: field.slice(0, field.lastIndexOf('.')),
    })
  }
  expect(metadata['chain.network']).toMatchObject({ type: 'text', default: 'calibration', editable: true, risk: 'high' })
  expect(metadata['chain.network'].allowed).toEqual(expect.arrayContaining(['calibration', 'mainnet']))
  expect(metadata['chain.default_copies']).toMatchObject({ type: 'integer', default: 3, min: 1, max: 8, editable: true })
  expect(metadata['cache.eviction_policy']).toMatchObject({ default: 'lru' })
  expect([...metadata['cache.eviction_policy'].allowed].sort()).toEqual(['after_upload', 'lru', 'none'])
  expect(metadata['chain.private_key']).toMatchObject({ secret: true, editable: false, required: true })
  const sources = ['cache.max_size_gb', 'chain.default_copies', 's3.region', 'chain.with_cdn'].map((field) => metadata[field].source)
  expect(sources).toEqual(['env', 'file', 'env', 'default'])
})

test('exactly the shown values can be edited; other settings only in the file', async () => {
  const { config, metadata } = await read()
  const shown: string[] = []
  const walk = (table: object, at: string): void => {
    for (const [name, value] of Object.entries(table)) {
      if (`${at}${name}` in metadata) shown.push(`${at}${name}`)
      else walk(value, `${at}${name}.`)
    }
  }
  walk(config, '')
  const editable = Object.entries<{ editable: boolean }>(metadata).flatMap(([field, about]) => (about.editable ? [field] : []))
  expect(editable.filter((field) => !shown.includes(field))).toEqual([])
  expect(shown.filter((field) => !editable.includes(field))).toEqual([])
  for (const field of ['admin.addr', 'admin.trusted_proxies', 'admin.auth.username', 'admin.auth.session_ttl', 'database.driver']) {
    expect(metadata[field]).toMatchObject({ editable: false })
  }
})

describe('no response and no log line contains', () => {
  const answers = async () => {
    const json = { 'content-type': 'application/json' }
    const bodies = [
      '{"chain":{"private_key":"0xfeed"}}',
      '{"chain":{"default_copies":9}}',
      '{"admin":{"auth":{"password_hash":"x","session_secret":"y"}}}',
      '{',
    ]
    const replies = [
      await svc.call('GET', '/api/v1/settings'),
      await svc.call('GET', '/metrics'),
      await svc.call('GET', '/api/v1/openapi.json'),
    ]
    for (const body of bodies) {
      replies.push(await svc.call('PUT', '/api/v1/settings', { body, headers: json }))
      replies.push(await svc.call('POST', '/api/v1/settings/validate', { body, headers: json }))
      replies.push(await svc.call('POST', '/api/v1/chain/readiness/preflight', { body, headers: json }))
    }
    return `${replies.map(({ text }) => text).join('\n')}\n${svc.log()}`
  }

  test('the wallet key, the password hash or the session secret', async () => {
    const said = await answers()
    for (const secret of [emptyWalletKey, emptyWalletKey.slice(2), sessionSecret, await cheapPasswordHash(), '$scrypt$']) {
      expect(said).not.toContain(secret)
    }
  })

  test.each([
    ['a key of a wrong form', 'private_key = "0xfeedfeedfeedfeed"'],
    ['a key without its last quote', 'private_key = "0xfeedfeedfeedfeed'],
    ['a key without quotes', 'private_key = 0xfeedfeedfeedfeedz'],
    ['a key that is a number', 'private_key = 5feedfeedfeed'],
    ['a key that is given twice', 'private_key = "0xfeedfeedfeed1"\nprivate_key = "0xfeedfeedfeed2"'],
  ])('%s, even when the file is edited while the service runs', async (_what, line) => {
    const before = readFileSync(svc.configPath, 'utf8')
    try {
      writeFileSync(svc.configPath, before.replace(/private_key = .*/, line))
      const said = await answers()
      expect(said).not.toContain('feed"')
      expect(said.replaceAll('"0xfeed"', '')).not.toContain('feedfeed')
      const { status, json } = await svc.call('GET', '/api/v1/settings')
      if (status === 200) expect(json.validation_errors.map(({ field }: { field: string }) => field)).toEqual(['chain.private_key'])
      else
        expect(json).toMatchObject({
          error: expect.stringMatching(/is not valid TOML: line \d+, column \d+: [ -~]+$/),
          code: 'config_malformed',
        })
    } finally {
      writeFileSync(svc.configPath, before)
    }
    expect((await svc.call('GET', '/api/v1/settings')).status).toBe(200)
  })
})
