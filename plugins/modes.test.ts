/** What the whole product answers in full mode, and in setup mode while required settings are missing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminRoutes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { builtinPlugins } from './index.ts'

// Nothing listens there: these requests need no chain.
const complete = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

let svc: TestKernel
let full: TestKernel
beforeAll(async () => {
  svc = await testKernel({ plugins: builtinPlugins })
  full = await testKernel({ plugins: builtinPlugins, config: complete })
})
afterAll(async () => {
  await svc.stop()
  await full.stop()
})

const endpoints = (await loadContributions(adminRoutes, builtinPlugins)).flatMap(({ item }) => item.endpoints ?? [])
const lines = [...endpoints.map(({ method, path }) => `${method} ${path}`), 'GET /metrics']
const served = [
  'GET /api/v1/settings',
  'PUT /api/v1/settings',
  'POST /api/v1/settings/validate',
  'POST /api/v1/chain/readiness/preflight',
  'POST /api/v1/restart',
  'PUT /api/v1/setup/wallet-key',
]

test.each(lines.filter((line) => !served.includes(line)))('setup mode does not serve %s', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  const refused = await svc.call(method, path.replaceAll(/:\w+/g, '1'))
  expect(refused).toMatchObject({ status: 503, body: { code: 'setup_mode', error: expect.any(String) } })
})

test.each(lines.filter((line) => !line.endsWith('/events')))('full mode serves %s', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  const answer = await full.fetch(path.replaceAll(/:\w+/g, '1'), { method })
  const code = answer.ok ? undefined : ((await answer.json()) as { readonly code: string }).code
  // Refusals of the route itself are welcome: nothing of what the address names is there.
  expect(['setup_mode', 'plugin_disabled', 'authentication_required', 'service_unavailable']).not.toContain(code)
  expect(answer.status === 404 && code === 'not_found' && !line.includes('/tasks/:id')).toBe(false)
})

test('in full mode health is ok', async () => {
  expect((await full.call('GET', '/healthz')).body).toEqual({ status: 'ok' })
})

test('in setup mode an operator signs in, renews the session and signs out', async () => {
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    svc.fetch(`/api/v1/auth/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const login = await send('POST', 'login', { cookie: 'none=1', 'content-type': 'application/json' }, testOperator)
  expect(login.status).toBe(200)
  const { csrf_token } = (await login.json()) as { readonly csrf_token: string }
  const session = { cookie: login.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-svc-csrf': csrf_token }
  expect((await send('GET', 'session', session)).status).toBe(200)
  expect((await send('POST', 'refresh', session)).status).toBe(200)
  expect((await send('POST', 'logout', session)).status).toBe(204)
  expect((await send('GET', 'session', session)).status).toBe(401)
})

test('in setup mode settings are validated without being saved, and saved', async () => {
  const file = () => readFileSync(join(svc.dir, 'config.toml'), 'utf8')
  const before = file()
  const checked = await svc.call('POST', '/api/v1/settings/validate', { chain: { default_copies: 9 } })
  expect(checked.body.validation_errors).toContainEqual({ field: 'chain.default_copies', message: expect.any(String) })
  expect(file()).toBe(before)
  expect((await svc.call('PUT', '/api/v1/settings', { chain: { default_copies: 5 } })).status).toBe(200)
  expect(file()).toContain('default_copies = 5')
})

test.each([
  ['a network whose other settings are missing', { chain: { network: 'devnet' } }, 'chain.devnet_info'],
  ['a plugin disabled that others require', { plugins: { disabled: ['wallet'] } }, 'plugins.disabled'],
])('in both modes settings that the next start would refuse are not saved: %s', async (_what, body, field) => {
  for (const kernel of [svc, full]) {
    const refused = await kernel.call('PUT', '/api/v1/settings', body)
    expect(refused).toMatchObject({ status: 400, body: { code: 'settings_invalid', fields: [{ field, message: expect.any(String) }] } })
  }
})

test('in setup mode /healthz says setup and the preflight works', async () => {
  expect((await svc.call('GET', '/healthz')).body).toEqual({ status: 'setup' })
  const checked = await svc.call('POST', '/api/v1/chain/readiness/preflight', { chain: { rpc_url: 'http://127.0.0.1:9/' } })
  expect(checked).toMatchObject({ status: 200, body: { status: expect.any(String), checks: expect.any(Array) } })
})
