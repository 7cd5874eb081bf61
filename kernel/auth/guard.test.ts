import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { RouteAccess } from '../http/route-access.ts'
import { createLog } from '../log/log.ts'
import { cheapPasswordHash, testAuthorization, testOperator } from '../testing/admin-listener.ts'
import { basicAuth } from '../testing/http.ts'
import type { AdminAuth } from './admin-auth.ts'
import { createAdminAuth } from './create-admin-auth.ts'
import { judge } from './guard.ts'

const clock = { ms: Date.UTC(2026, 0, 31), now: () => clock.ms, sleep: async () => {} }
const lines: string[] = []
const log = createLog({ level: 'info', format: 'json', secrets: [], write: (line) => lines.push(line) })

const makeAuth = async ({ enabled = true } = {}): Promise<AdminAuth> =>
  createAdminAuth({
    auth: {
      enabled,
      username: testOperator.username,
      password_hash: await cheapPasswordHash(),
      session_secret: 's'.repeat(32),
      session_ttl: 3_600_000,
    },
    trustedProxies: [],
    clock,
    log,
  })

interface Asked {
  readonly access?: RouteAccess
  readonly from?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

async function ask(auth: AdminAuth, { access = 'operator', method = 'GET', headers = {}, from = '192.0.2.1' }: Asked): Promise<string> {
  const raw = { headers: { host: 'svc.local', ...headers }, socket: { remoteAddress: from } } as unknown as IncomingMessage
  const verdict = await judge({ raw, method, access, role: 'read-only' }, auth)
  if (verdict.pass) return verdict.identity.kind
  return `${verdict.error.status} ${verdict.error.code}${verdict.clearCookie ? ' clear' : ''}`
}

const none = '401 authentication_required clear'

test.each([
  ['operator', 'GET', none],
  ['operator', 'POST', none],
  ['session', 'GET', none],
  ['session', 'POST', none],
  ['open', 'GET', 'anonymous'],
  ['open', 'POST', 'anonymous'],
  // Not a value that any route group declares.
  [undefined, 'GET', none],
  ['public', 'GET', none],
] as const)('I-34: without credentials a route with the access %j answers %s with %s', async (access, method, expected) => {
  expect(await ask(await makeAuth(), { access: (access ?? undefined) as RouteAccess, method })).toBe(access === undefined ? none : expected)
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

test('a session route requires session and CSRF token, also with valid Basic credentials', async () => {
  const auth = await makeAuth()
  const { token, claims } = auth.sessions.begin(false)
  const cookie = `svc_admin_session=${token}`
  const authorization = testAuthorization
  const post = { access: 'session', method: 'POST' } as const
  expect(await ask(auth, { ...post, headers: { authorization } })).toBe(none)
  expect(await ask(auth, { ...post, headers: { authorization, cookie } })).toBe('403 csrf_required')
  expect(await ask(auth, { ...post, headers: { cookie, 'x-svc-csrf': claims.csrf_token } })).toBe('session')
  expect(await ask(auth, { access: 'session', headers: { cookie } })).toBe('session')
})

test('the cookie of an expired session is cleared', async () => {
  const auth = await makeAuth()
  const cookie = `svc_admin_session=${auth.sessions.begin(false).token}`
  clock.ms += 3_600_000
  expect(await ask(auth, { headers: { cookie } })).toBe(none)
})

test('a streamed answer can check whether its session is still valid', async () => {
  const auth = await makeAuth()
  const { token, claims } = auth.sessions.begin(false)
  const raw = { headers: { cookie: `svc_admin_session=${token}` }, socket: {} } as unknown as IncomingMessage
  const verdict = await judge({ raw, method: 'GET', access: 'operator', role: 'read-only' }, auth)
  if (!verdict.pass || verdict.identity.kind !== 'session') throw new Error('the session was refused')
  expect(verdict.identity.isCurrent()).toBe(true)
  auth.sessions.end(claims)
  expect(verdict.identity.isCurrent()).toBe(false)
})

test('five wrong passwords block Basic, except for credentials that the address proved before', async () => {
  const auth = await makeAuth()
  const wrong = { headers: { authorization: basicAuth('admin', 'guess') } }
  const right = { headers: { authorization: testAuthorization } }
  for (let i = 0; i < 5; i++) expect(await ask(auth, wrong)).toBe('401 authentication_required')
  expect(await ask(auth, wrong)).toBe('429 login_rate_limited')
  expect(await ask(auth, right)).toBe('429 login_rate_limited')
  clock.ms += 60_001
  expect(await ask(auth, right)).toBe('basic')
  clock.ms += 59_000
  for (let i = 0; i < 5; i++) await ask(auth, wrong)
  // The first and the last moment of the block.
  expect(await ask(auth, right)).toBe('basic')
  clock.ms += 60_000
  expect(await ask(auth, right)).toBe('basic')
  // The success does not reset the failures: guesses from this address stay blocked.
  expect(await ask(auth, wrong)).toBe('429 login_rate_limited')
})

test('I-42: a blocked address gets one answer for all passwords that only other addresses proved, also one of its own network', async () => {
  const auth = await makeAuth()
  const [operator, neighbour, guesser] = ['2001:db8::1', '2001:db8::2', '192.0.2.9']
  const right = { headers: { authorization: testAuthorization } }
  for (const from of [operator, neighbour]) expect(await ask(auth, { ...right, from })).toBe('basic')
  for (const from of ['2001:db8::3', guesser]) {
    for (let i = 0; i < 5; i++) await ask(auth, { headers: { authorization: basicAuth('admin', 'guess') }, from })
    for (const authorization of [testAuthorization, basicAuth('admin', 'guess'), basicAuth('root', 'guess')]) {
      expect(await ask(auth, { headers: { authorization }, from })).toBe('429 login_rate_limited')
    }
  }
  for (const from of [operator, neighbour]) expect(await ask(auth, { ...right, from })).toBe('basic')
})

test.each([
  ['a script', {}, 'anonymous'],
  ['our own page', { origin: 'http://svc.local' }, 'anonymous'],
  ['our own page behind a proxy that hides our scheme', { origin: 'https://svc.local', 'sec-fetch-site': 'same-origin' }, 'anonymous'],
  ['a page of another site', { origin: 'https://evil.example' }, '403 cross_site_refused'],
  ['a sandboxed page', { origin: 'null' }, '403 cross_site_refused'],
  ['a page of a sister host', { origin: 'http://other.local', 'sec-fetch-site': 'same-site' }, '403 cross_site_refused'],
  ['a page of another site without Origin', { 'sec-fetch-site': 'cross-site' }, '403 cross_site_refused'],
] as const)('a change without credentials by %s', async (...[, headers, expected]) => {
  const auth = await makeAuth()
  expect(await ask(auth, { access: 'open', method: 'POST', headers })).toBe(expected)
  expect(await ask(auth, { access: 'open', method: 'GET', headers })).toBe('anonymous')
})

test('guesses from one IPv6 network count together', async () => {
  const auth = await makeAuth()
  const from = (remoteAddress: string, password: string) =>
    auth.signIn.check({ username: testOperator.username, password }, remoteAddress).then(({ kind }) => kind)
  for (let n = 1; n <= 5; n++) expect(await from(`2001:db8:1:2:${n}::${n}`, 'guess')).toBe('wrong')
  expect(await from('2001:db8:1:2:ffff::1', testOperator.password)).toBe('limited')
  expect(await from('2001:db8:1:3::1', testOperator.password)).toBe('right')
})

describe('with authentication disabled', () => {
  test.each<readonly [string, Readonly<Record<string, string | undefined>>, string]>([
    ['a script', { host: 'localhost:9090' }, 'anonymous'],
    ['a script that names the address', { host: '127.0.0.1:9090' }, 'anonymous'],
    ['our own page', { host: '[::1]:9090', origin: 'http://[::1]:9090', 'sec-fetch-site': 'same-origin' }, 'anonymous'],
    ['a caller with credentials', { host: 'localhost', authorization: basicAuth('a', 'b') }, 'anonymous'],
    ['a page whose name resolves to this machine', { host: 'attacker.example:9090' }, '403 host_refused'],
    ['such a page that counts as same-origin', { host: 'attacker.example', origin: 'http://attacker.example' }, '403 host_refused'],
    ['a forwarded host from an untrusted peer', { host: 'attacker.example', 'x-forwarded-host': 'localhost' }, '403 host_refused'],
    ['no Host', { host: undefined }, '403 host_refused'],
    ['a page of another site', { host: 'localhost:9090', origin: 'http://attacker.example' }, '403 cross_site_refused'],
    ['an image on another site', { host: 'localhost:9090', 'sec-fetch-site': 'cross-site' }, '403 cross_site_refused'],
    ['a link on another site', { host: 'localhost:9090', referer: 'https://attacker.example/' }, '403 cross_site_refused'],
    ['another server of this machine', { host: 'localhost:9090', origin: 'http://localhost:3000' }, '403 cross_site_refused'],
    ['a sandboxed page', { host: 'localhost:9090', origin: 'null' }, '403 cross_site_refused'],
  ])('%s gets the expected verdict', async (_who, headers, expected) => {
    const auth = await makeAuth({ enabled: false })
    for (const method of ['GET', 'DELETE']) {
      expect(await ask(auth, { method, headers })).toBe(expected)
      expect(await ask(auth, { method, headers, access: 'session' })).toBe(expected)
    }
    expect(await ask(auth, { headers, access: 'open' })).toBe('anonymous')
  })
})

test('an unusable password hash stops the start', () => {
  const auth = { enabled: true, username: 'admin', password_hash: 'plain text', session_secret: 's', session_ttl: 1 }
  expect(() => createAdminAuth({ auth, trustedProxies: [], clock, log })).toThrow('admin.auth.password_hash cannot be used')
})
