/** Processes run one after another on the same files, from a start without a wallet key to the full API. The tests build on each other. */
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { freePort } from '../fixtures/free-port.ts'
import { emptyWalletKey } from '../fixtures/gateways/gateway.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

const stack = new AsyncDisposableStack()
let dir: string
let svc: ServeProcess
let s3Port: number
/** All operations of the full API, such as `GET /api/v1/tasks`. */
let documented: readonly string[]
beforeAll(async () => {
  const full = await sharedServe()
  documented = operationsOf((await full.call('GET', '/api/v1/openapi.json')).json)
  dir = stack.use(temporaryDirectory()).path
  s3Port = await freePort()
  svc = await startServe({ dir, settings: { 'chain.private_key': '', 'server.port': `127.0.0.1:${s3Port}`, 'chain.default_copies': 2 } })
  stack.defer(() => svc.kill())
})
afterAll(() => stack.disposeAsync())

const missingKey = { field: 'chain.private_key', message: expect.stringContaining('is required') }
const allowed = [
  'GET /healthz',
  'POST /api/v1/auth/login',
  'GET /api/v1/auth/methods',
  'GET /api/v1/auth/session',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/logout',
  'GET /api/v1/settings',
  'PUT /api/v1/settings',
  'POST /api/v1/settings/validate',
  'POST /api/v1/chain/readiness/preflight',
  'POST /api/v1/restart',
  'PUT /api/v1/setup/wallet-key',
]

const operationsOf = ({ paths }: { readonly paths: Readonly<Record<string, object>> }): readonly string[] =>
  Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))

const isS3Open = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect(s3Port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

const health = async () => {
  const { status, json } = await svc.call('GET', '/healthz', { as: 'anonymous' })
  return [status, json]
}

async function restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await svc.stop()
  svc = await startServe({ dir, env })
}

test('without a wallet key health is setup, and the log names the next step', async () => {
  expect(await health()).toEqual([200, { status: 'setup' }])
  expect(svc.log()).toContain('chain.private_key is required')
})

test('the S3 port is closed, and no database is created', async () => {
  expect(svc.s3Url).toBe('')
  expect(await isS3Open()).toBe(false)
  expect(readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.db'))).toEqual([])
})

test('an operator signs in, refreshes and signs out as in full mode', async () => {
  const session = await svc.signIn()
  for (const [method, path, status] of [
    ['GET', '/api/v1/auth/session', 200],
    ['POST', '/api/v1/auth/refresh', 200],
    ['GET', '/api/v1/settings', 200],
    ['POST', '/api/v1/auth/logout', 204],
    ['GET', '/api/v1/auth/session', 401],
  ] as const) {
    expect([path, (await svc.call(method, path, { as: session })).status]).toEqual([path, status])
  }
})

test('every other address of the full API is unavailable with the reason', async () => {
  expect(documented).toEqual(expect.arrayContaining(allowed))
  const closed = documented.filter((operation) => !allowed.includes(operation))
  for (const place of ['overview', 'events', 'buckets', 'tasks', 'system/info', 'workers', 'cache/stats', 's3-users', 'chain/readiness']) {
    expect(closed).toContain(`GET /api/v1/${place}`)
  }
  expect(closed).toContain('GET /metrics')
  for (const operation of closed) {
    const [method = '', template = ''] = operation.split(' ')
    const path = template.replaceAll(/\{\w+\}/g, '1')
    const { status, json } = await svc.call(method, path, method === 'GET' ? {} : { json: {} })
    expect([operation, status, json]).toEqual([operation, 503, { error: expect.any(String), code: 'setup_mode' }])
    // The browser is not yet signed in there.
    const isOpen = operation.startsWith('GET /api/v1/auth/oidc/')
    expect([operation, (await svc.call(method, path, { as: 'anonymous' })).status]).toEqual([operation, isOpen ? 503 : 401])
  }
  expect((await svc.call('GET', '/api/v1/nothing')).status).toBe(404)
})

test('the settings name what is missing', async () => {
  const { json } = await svc.call('GET', '/api/v1/settings')
  expect(json).toMatchObject({
    mode: 'setup',
    runtime_available: false,
    restart_required: false,
    s3_users: { available: false, reason: expect.any(String) },
    secrets: { chain_private_key_configured: false },
    manual: { chain_private_key: { configured: false, field: 'chain.private_key', env: 'SVC_CHAIN_PRIVATE_KEY' } },
    defaults: { chain_rpc_urls: { calibration: expect.any(String), mainnet: expect.any(String) } },
    validation_errors: [missingKey],
  })
  expect(json).not.toHaveProperty('runtime_chain_default_copies')
})

test('other settings are checked and saved while the key is still missing', async () => {
  const changes = { chain: { default_copies: 4 }, cache: { max_size_gb: 3 } }
  expect(await svc.call('POST', '/api/v1/settings/validate', { json: changes })).toMatchObject({ json: { validation_errors: [] } })
  expect(await svc.call('PUT', '/api/v1/settings', { json: changes })).toMatchObject({
    status: 200,
    json: { mode: 'setup', restart_required: true, config: changes, validation_errors: [missingKey] },
  })
})

const preflight = async (chain: object = {}) => (await svc.call('POST', '/api/v1/chain/readiness/preflight', { json: { chain } })).json

test('a preflight names the missing key, and goes on to the chain once the file has it', async () => {
  const before = await preflight()
  expect(before).toMatchObject({ status: 'blocked', mode: 'draft' })
  expect(before.checks.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual([
    'config_private_key blocked',
    'config_rpc_url ready',
    'config_network ready',
    'config_default_copies ready',
  ])
  saveConfigFile(svc.configPath, { 'chain.private_key': emptyWalletKey })
  const after = await preflight()
  // The chain node is unreachable.
  expect(after).toMatchObject({ status: 'unknown', mode: 'draft', partial_errors: { sdk_client: expect.any(String) } })
  expect(after.checks).toContainEqual(expect.objectContaining({ id: 'config_private_key', status: 'ready' }))
  expect((await svc.call('GET', '/api/v1/settings')).json).toMatchObject({ mode: 'ready', runtime_available: false })
  // The mode changes only with a restart.
  expect(await health()).toEqual([200, { status: 'setup' }])
  expect((await svc.call('GET', '/api/v1/overview')).status).toBe(503)
})

test('after the restart the full API is available with the saved settings', async () => {
  await restart()
  expect(await health()).toEqual([200, { status: 'ok' }])
  expect((await svc.call('GET', '/api/v1/settings')).json).toMatchObject({
    mode: 'ready',
    runtime_available: true,
    restart_required: false,
    runtime_chain_default_copies: 4,
    s3_users: { available: true },
  })
  for (const path of ['/metrics', '/api/v1/overview', '/api/v1/buckets', '/api/v1/tasks', '/api/v1/s3-users', '/api/v1/cache/stats']) {
    expect([path, (await svc.call('GET', path)).status]).toEqual([path, 200])
  }
  expect((await svc.call('GET', '/api/v1/cache/stats')).json.max_bytes).toBe(3 * 1024 ** 3)
  expect(await isS3Open()).toBe(true)
})

test('an invalid setting in the file also leads to setup mode, where it can be corrected', async () => {
  saveConfigFile(svc.configPath, { 'chain.default_copies': 9 })
  await restart()
  expect(await health()).toEqual([200, { status: 'setup' }])
  const { json } = await svc.call('GET', '/api/v1/settings')
  expect(json.validation_errors).toEqual([{ field: 'chain.default_copies', message: expect.stringContaining('at most 8') }])
  expect((await svc.call('PUT', '/api/v1/settings', { json: { chain: { default_copies: 5 } } })).json.mode).toBe('ready')
  await restart()
  expect(await health()).toEqual([200, { status: 'ok' }])
})

test('the key can come from the environment instead', async () => {
  saveConfigFile(svc.configPath, { 'chain.private_key': '' })
  await restart()
  expect(await health()).toEqual([200, { status: 'setup' }])
  await restart({ SVC_CHAIN_PRIVATE_KEY: emptyWalletKey })
  expect(await health()).toEqual([200, { status: 'ok' }])
  const { json, text } = await svc.call('GET', '/api/v1/settings')
  expect(json).toMatchObject({
    mode: 'ready',
    env_managed: { 'chain.private_key': 'SVC_CHAIN_PRIVATE_KEY' },
    secrets: { chain_private_key_configured: true },
  })
  expect(text).not.toContain(emptyWalletKey)
})

test('a problem that the settings page cannot fix stops the start and is named', async () => {
  await svc.stop()
  saveConfigFile(svc.configPath, { 'admin.auth.session_ttl': 'soon' })
  await expect(startServe({ dir })).rejects.toThrow(/admin\.auth\.session_ttl must be a duration/)
})
