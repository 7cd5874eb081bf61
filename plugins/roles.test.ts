/** What each role may do with the whole product. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminRoutes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { adminAuth, loadKernelEndpoints, type Role } from '#kernel/system'
import { type TestKernel, testKernel } from '#kernel/testing'
import { builtinPlugins } from './index.ts'

// No node listens there: none of these requests needs a chain.
const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }
const groups = [...(await loadContributions(adminRoutes, builtinPlugins)).map(({ item }) => item), ...(await loadKernelEndpoints())]
const endpoints = groups.filter(({ access }) => access !== 'open').flatMap(({ endpoints }) => endpoints ?? [])
const changes = endpoints.filter(({ method }) => method !== 'GET')

let svc: TestKernel
beforeAll(async () => {
  svc = await testKernel({ plugins: builtinPlugins, config })
  svc.kernel.get(adminAuth).sessions.accept('team')
})
afterAll(() => svc.stop())

function signIn(role: Role): Record<string, string> {
  const { sessions } = svc.kernel.get(adminAuth)
  const { token, claims } = sessions.beginExternal({ username: `oidc:${role}`, role, realm: 'team', maxMs: 3_600_000 })
  return { cookie: `svc_admin_session=${token}`, 'x-svc-csrf': claims.csrf_token }
}

test('I-54: every change declares its role', () => {
  expect(changes.filter(({ role }) => role === undefined).map(({ method, path }) => `${method} ${path}`)).toEqual([])
  expect(changes.length).toBeGreaterThan(35)
})

test('I-35: what the audit log leaves out only looks', () => {
  const looks = endpoints.filter((endpoint) => 'isLook' in endpoint)
  expect(looks.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'POST /api/v1/buckets/:name/bulk-actions/preview',
    'POST /api/v1/cost/estimate',
    'POST /api/v1/doctor/checks/:name/run',
    'POST /api/v1/settings/validate',
  ])
})

test.each<[Role, readonly Role[]]>([
  ['read-only', ['operator', 'admin']],
  ['operator', ['admin']],
])('I-54: %s is refused exactly the routes of higher roles', async (held, above) => {
  const refused: string[] = []
  const session = signIn(held)
  for (const { method, path } of endpoints) {
    if (path === '/api/v1/events' || path === '/api/v1/auth/logout') continue
    const answer = await svc.fetch(path.replaceAll(/:\w+/g, '1'), { method, headers: session })
    const text = await answer.text()
    if (answer.status === 403 && JSON.parse(text).code === 'role_required') refused.push(`${method} ${path}`)
  }
  const expected = endpoints.filter(({ role }) => role !== undefined && above.includes(role))
  const answer = await svc.fetch('/api/v1/auth/session', { headers: session })
  const told: readonly string[] = JSON.parse(await answer.text()).refused
  expect(told.toSorted()).toEqual(refused.toSorted())
  expect(refused).toEqual(expected.map(({ method, path }) => `${method} ${path}`))
})

test('I-54: what makes credentials, pays or reconfigures needs the admin', () => {
  const ofAdmin = endpoints.filter(({ role }) => role === 'admin').map(({ method, path }) => `${method} ${path}`)
  expect(ofAdmin).toEqual(
    expect.arrayContaining([
      'PUT /api/v1/settings',
      'POST /api/v1/wallet/fund',
      'POST /api/v1/wallet/withdraw',
      'POST /api/v1/wallet/approve',
      'POST /api/v1/s3-users',
      'POST /api/v1/s3-users/:accessKey/secret',
      'GET /api/v1/audit',
      'GET /api/v1/auth/sessions',
      'DELETE /api/v1/auth/sessions/:id',
    ]),
  )
})

test('I-54: everyone who is signed in may follow the events, and the stream of an ended session ends', async () => {
  const session = signIn('read-only')
  const stream = await svc.fetch('/api/v1/events', { headers: session })
  expect(stream.status).toBe(200)
  const { sessions } = await svc.call('GET', '/api/v1/auth/sessions').then(({ body }) => body)
  const own = sessions.find((one: { username: string }) => one.username === 'oidc:read-only')
  expect((await svc.call('DELETE', `/api/v1/auth/sessions/${own.id}`)).status).toBe(204)
  expect((await svc.fetch('/api/v1/overview', { headers: session })).status).toBe(401)
  await stream.body?.cancel()
})
