import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { readRequestPath } from '../http/request-path.ts'
import { cheapPasswordHash, testAuthorization, testOperator } from '../testing/admin-listener.ts'
import { basicAuth } from '../testing/http.ts'
import { type AdminAuth, createAdminAuth } from './admin-auth.ts'
import { judge } from './guard.ts'

const clock = { ms: Date.UTC(2026, 0, 31), now: () => clock.ms }

const makeAuth = async ({ enabled = true } = {}): Promise<AdminAuth> =>
  createAdminAuth({
    auth: {
      enabled,
      username: testOperator.username,
      password_hash: await cheapPasswordHash(),
      session_secret: 'secret',
      session_ttl: 3_600_000,
    },
    trustedProxies: [],
    clock,
  })

interface Asked {
  readonly url?: string
  readonly route?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

async function ask(auth: AdminAuth, { url = '/api/v1/tasks', route, method = 'GET', headers = {} }: Asked): Promise<string> {
  const raw = { headers: { host: 'svc.local', ...headers }, socket: { remoteAddress: '192.0.2.1' } } as unknown as IncomingMessage
  const verdict = await judge({ raw, method, path: readRequestPath(url), route }, auth)
  if (verdict.pass) return verdict.identity.kind
  return `${verdict.error.status} ${verdict.error.code}${verdict.clearCookie ? ' clear' : ''}`
}

const none = '401 authentication_required clear'

test.each([
  ['/api/v1/tasks', none],
  ['/api/v1', none],
  ['/api/v1/tasks?x=/assets/', none],
  ['/admin', none],
  ['/admin/x', none],
  ['/metrics', none],
  ['//api//v1/tasks', none],
  ['/assets/../api/v1/tasks', none],
  ['/./api/v1/tasks', none],
  ['/%61pi/v1/tasks', none],
  ['/assets/%2e%2e/api/v1/tasks', none],
  ['/api%2Fv1/tasks', none],
  ['/api/v1/../../assets', none],
  ['http://svc.local/api/v1/tasks', none],
  ['/api/v1/auth/login/', none],
  ['/api/v1/auth/./login', none],
  ['/api/v1/auth/%6cogin', none],
  ['/api/v1/auth/login', 'nobody'],
  ['/api/v1/auth/session?x=1', 'nobody'],
  ['/healthz', 'nobody'],
  ['/', 'nobody'],
  ['/assets/api/v1', 'nobody'],
  ['/api/v10', 'nobody'],
  ['/metricsx', 'nobody'],
])('without credentials %s gives %s', async (url, expected) => {
  expect(await ask(await makeAuth(), { url })).toBe(expected)
})

test('an address is protected too when only its route is', async () => {
  expect(await ask(await makeAuth(), { url: '/odd', route: '/api/v1/tasks' })).toBe(none)
})

test.each([
  ['right credentials', { authorization: testAuthorization }, 'basic'],
  ['a username with blanks around it', { authorization: basicAuth(' admin ', testOperator.password) }, 'basic'],
  ['a password with a blank behind it', { authorization: basicAuth('admin', `${testOperator.password} `) }, '401 authentication_required'],
  ['a wrong username', { authorization: basicAuth('root', testOperator.password) }, '401 authentication_required'],
  ['a page of another site', { authorization: testAuthorization, origin: 'http://evil.example' }, '403 cross_site_basic'],
  [
    'a page of another site, with wrong credentials',
    { authorization: basicAuth('a', 'b'), 'sec-fetch-site': 'cross-site' },
    '403 cross_site_basic',
  ],
  ['an own page', { authorization: testAuthorization, origin: 'http://svc.local' }, 'basic'],
  ['a malformed header', { authorization: 'Basic ???' }, none],
] as const)('Basic with %s', async (...[, headers, expected]) => {
  expect(await ask(await makeAuth(), { headers, method: 'POST' })).toBe(expected)
})

test('Basic wins over a cookie, but a malformed header does not', async () => {
  const auth = await makeAuth()
  const cookie = `svc_admin_session=${auth.sessions.begin(false).token}`
  expect(await ask(auth, { headers: { cookie, authorization: basicAuth('admin', 'wrong') } })).toBe('401 authentication_required')
  expect(await ask(auth, { headers: { cookie, authorization: testAuthorization }, method: 'DELETE' })).toBe('basic')
  expect(await ask(auth, { headers: { cookie, authorization: 'Bearer x' } })).toBe('session')
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('a cookie alone may not %s', async (method) => {
  const auth = await makeAuth()
  const { token, claims } = auth.sessions.begin(false)
  const cookie = `svc_admin_session=${token}`
  expect(await ask(auth, { headers: { cookie }, method })).toBe('403 csrf_required')
  expect(await ask(auth, { headers: { cookie, 'x-svc-csrf': `${claims.csrf_token}x` }, method })).toBe('403 csrf_required')
  expect(await ask(auth, { headers: { cookie, 'x-svc-csrf': claims.csrf_token }, method })).toBe('session')
})

test.each(['GET', 'HEAD', 'OPTIONS'])('a cookie alone may %s', async (method) => {
  const auth = await makeAuth()
  const cookie = `svc_admin_session=${auth.sessions.begin(false).token}`
  expect(await ask(auth, { headers: { cookie }, method })).toBe('session')
})

test.each(['/api/v1/auth/refresh', '/api/v1/auth/logout'])('%s asks for session and CSRF token, whatever Basic says', async (url) => {
  const auth = await makeAuth()
  const { token, claims } = auth.sessions.begin(false)
  const cookie = `svc_admin_session=${token}`
  const authorization = testAuthorization
  expect(await ask(auth, { url, method: 'POST', headers: { authorization } })).toBe(none)
  expect(await ask(auth, { url, method: 'POST', headers: { authorization, cookie } })).toBe('403 csrf_required')
  expect(await ask(auth, { url, method: 'POST', headers: { cookie, 'x-svc-csrf': claims.csrf_token } })).toBe('session')
  // Another spelling of the address that the router takes for the same route.
  const odd = url.replace('auth', '%61uth')
  expect(await ask(auth, { url: odd, route: url, method: 'POST', headers: { authorization, cookie } })).toBe('403 csrf_required')
})

test('an expired session is to be forgotten', async () => {
  const auth = await makeAuth()
  const cookie = `svc_admin_session=${auth.sessions.begin(false).token}`
  clock.ms += 3_600_000
  expect(await ask(auth, { headers: { cookie } })).toBe(none)
})

test('a long answer can ask whether its session still counts', async () => {
  const auth = await makeAuth()
  const { token, claims } = auth.sessions.begin(false)
  const raw = { headers: { cookie: `svc_admin_session=${token}` }, socket: {} } as unknown as IncomingMessage
  const verdict = await judge({ raw, method: 'GET', path: readRequestPath('/api/v1/events'), route: undefined }, auth)
  if (!verdict.pass || verdict.identity.kind !== 'session') throw new Error('the session was refused')
  expect(verdict.identity.isCurrent()).toBe(true)
  auth.sessions.end(claims)
  expect(verdict.identity.isCurrent()).toBe(false)
})

test('five wrong passwords block Basic, except for credentials that were right a moment ago', async () => {
  const auth = await makeAuth()
  const wrong = { headers: { authorization: basicAuth('admin', 'guess') } }
  const right = { headers: { authorization: testAuthorization } }
  for (let i = 0; i < 5; i++) expect(await ask(auth, wrong)).toBe('401 authentication_required')
  expect(await ask(auth, wrong)).toBe('429 login_rate_limited')
  expect(await ask(auth, right)).toBe('429 login_rate_limited')
  clock.ms += 60_001
  expect(await ask(auth, right)).toBe('basic')
  for (let i = 0; i < 5; i++) await ask(auth, wrong)
  expect(await ask(auth, wrong)).toBe('429 login_rate_limited')
  expect(await ask(auth, right)).toBe('basic')
  expect(await ask(auth, wrong)).toBe('401 authentication_required')
  for (let i = 0; i < 4; i++) await ask(auth, wrong)
  clock.ms += 60_000
  expect(await ask(auth, right)).toBe('429 login_rate_limited')
})

test('with authentication switched off everything is open', async () => {
  expect(await ask(await makeAuth({ enabled: false }), { method: 'DELETE' })).toBe('nobody')
})

test('a stored hash that cannot be used is an error at the start', () => {
  const auth = { enabled: true, username: 'admin', password_hash: 'plain text', session_secret: 's', session_ttl: 1 }
  expect(() => createAdminAuth({ auth, trustedProxies: [], clock })).toThrow('admin.auth.password_hash cannot be used')
})
