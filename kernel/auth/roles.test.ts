/** Roles as a client meets them: over HTTP, with session cookies. */
import { expect, test } from 'vitest'
import type { AnsweredGroup } from '../admin-listener/admin-listener.ts'
import { defineEndpoint, serveEndpoint } from '../http/endpoint.ts'
import type { Role } from '../http/role-policy.ts'
import { defineRoutes } from '../http/routes.ts'
import { createLog } from '../log/log.ts'
import { type } from '../schema.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'

const endpoint = (method: 'GET' | 'POST', name: string, role?: Role) =>
  defineEndpoint({ method, path: `/api/v1/${name}`, summary: name, answer: type({}), ...(role && { role }) })
const endpoints = [
  endpoint('GET', 'shown'),
  endpoint('GET', 'hidden', 'admin'),
  endpoint('POST', 'estimate', 'read-only'),
  endpoint('POST', 'work', 'operator'),
  endpoint('POST', 'settings', 'admin'),
  endpoint('POST', 'undeclared'),
]
const group: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({
    name: 'things',
    uses: {},
    register(app) {
      for (const one of endpoints) serveEndpoint(app, one, async () => ({}))
      app.post('/api/v1/bare', async () => ({}))
    },
  }),
}
const lines = [...endpoints.map(({ method, path }) => `${method} ${path}`), 'POST /api/v1/bare']

async function setUp(role: Role) {
  const written: string[] = []
  const log = createLog({ level: 'error', format: 'json', secrets: [], write: (line) => written.push(line) })
  const listener = await startTestListener({ routes: [group], log })
  listener.auth.sessions.accept('team')
  const { token, claims } = listener.auth.sessions.beginExternal({ username: 'oidc:alice', role, realm: 'team', maxMs: 3_600_000 })
  const headers = { cookie: `svc_admin_session=${token}`, 'x-svc-csrf': claims.csrf_token }
  const send = (line: string, more: Record<string, string> = headers) => {
    const [method = '', path = ''] = line.split(' ')
    return fetch(listener.url + path, { method, headers: more })
  }
  return { send, headers, written, [Symbol.asyncDispose]: () => listener.stop() }
}

test.each<[Role, readonly string[]]>([
  ['read-only', ['GET /api/v1/shown', 'POST /api/v1/estimate']],
  ['operator', ['GET /api/v1/shown', 'POST /api/v1/estimate', 'POST /api/v1/work']],
  ['admin', lines],
])('I-54: %s may use exactly its routes', async (role, allowed) => {
  await using svc = await setUp(role)
  for (const line of lines) {
    const answer = await svc.send(line)
    const code = answer.ok ? 'ok' : ((await answer.json()) as { readonly code: string }).code
    expect([line, code]).toEqual([line, allowed.includes(line) ? 'ok' : 'role_required'])
  }
})

test('I-54: the role counts in every spelling of an address, and for its HEAD', async () => {
  await using svc = await setUp('read-only')
  for (const line of ['POST /api/v1/%73ettings', 'POST /api/v1/settings?a=/api/v1/shown', 'HEAD /api/v1/hidden'])
    expect([line, (await svc.send(line)).status]).toEqual([line, 403])
})

test('I-54: a refused role is in the audit log and says which role is needed', async () => {
  await using svc = await setUp('read-only')
  const answer = await svc.send('POST /api/v1/work')
  expect(await answer.json()).toMatchObject({ error: 'Your role is read-only; this needs the role operator.' })
  expect(svc.written.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ msg: 'request refused', by: 'oidc:alice', code: 'role_required', route: '/api/v1/work' }),
  ])
})

test('I-54: HTTP Basic is the local admin, whatever cookie comes with it', async () => {
  await using svc = await setUp('read-only')
  const basic = { authorization: testAuthorization }
  expect((await svc.send('POST /api/v1/settings', { ...svc.headers, ...basic })).status).toBe(200)
})

test('I-54: a session cannot leave its role: every change still needs the token of its own session', async () => {
  await using svc = await setUp('admin')
  expect((await svc.send('POST /api/v1/settings', { cookie: svc.headers.cookie })).status).toBe(403)
})

test.each<[Role, readonly string[] | undefined]>([
  ['read-only', ['GET /api/v1/hidden', 'POST /api/v1/work', 'POST /api/v1/settings', 'POST /api/v1/undeclared', 'POST /api/v1/bare']],
  ['operator', ['GET /api/v1/hidden', 'POST /api/v1/settings', 'POST /api/v1/undeclared', 'POST /api/v1/bare']],
  ['admin', undefined],
])('the session of %s names exactly the routes that its role may not use', async (role, refused) => {
  await using svc = await setUp(role)
  for (const line of ['GET /api/v1/auth/session', 'POST /api/v1/auth/refresh']) {
    const answer = await svc.send(line)
    const session = (await answer.json()) as { readonly username: string; readonly refused?: readonly string[] }
    expect([line, session.username, session.refused]).toEqual([line, 'oidc:alice', refused])
  }
})
