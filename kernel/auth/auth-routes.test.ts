import { expect, test } from 'vitest'
import { defineRoutes } from '../http/routes.ts'
import { cheapPasswordHash, startTestListener, type TestListenerOptions, testOperator } from '../testing/admin-listener.ts'
import { basicAuth } from '../testing/http.ts'

const things = {
  answer: 'serve' as const,
  services: {},
  group: defineRoutes({ name: 'things', uses: {}, register: (app) => void app.post('/api/v1/things', async () => ({})) }),
}

const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''

async function setUp(options: TestListenerOptions = {}) {
  const clock = { ms: Date.UTC(2026, 0, 31, 12), now: () => clock.ms, sleep: async () => {} }
  const listener = await startTestListener({ clock, routes: [things], ...options })
  const send = (method: string, path: string, { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {}) =>
    fetch(`${listener.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const login = (extra: object = {}, headers: Record<string, string> = {}) =>
    send('POST', '/auth/login', { body: { ...testOperator, ...extra }, headers })
  return { clock, send, login, listener, [Symbol.asyncDispose]: () => listener.stop() }
}

test('a browser signs in, works, renews its session and signs out', async () => {
  await using svc = await setUp()
  const login = await svc.login()
  expect(login.status).toBe(200)
  expect(login.headers.get('set-cookie')).toMatch(/^svc_admin_session=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/)
  const session = (await login.json()) as { csrf_token: string }
  expect(session).toEqual({
    username: 'admin',
    csrf_token: expect.any(String),
    expires_at: '2026-02-01T00:00:00Z',
    refresh_after: '2026-01-31T12:05:00.000Z',
  })
  const cookie = cookieOf(login)
  const signed = { headers: { cookie, 'x-svc-csrf': session.csrf_token } }
  expect(await (await svc.send('GET', '/auth/session', { headers: { cookie } })).json()).toEqual(session)
  expect((await svc.send('POST', '/things', signed)).status).toBe(200)
  expect((await svc.send('POST', '/things', { headers: { cookie } })).status).toBe(403)

  const early = await svc.send('POST', '/auth/refresh', signed)
  expect(await early.json()).toEqual(session)
  expect(early.headers.get('set-cookie')).toBeNull()
  svc.clock.ms += 6 * 60_000
  const renewed = await svc.send('POST', '/auth/refresh', signed)
  expect(await renewed.json()).toEqual({ ...session, expires_at: '2026-02-01T00:06:00Z', refresh_after: '2026-01-31T12:11:00.000Z' })
  expect(cookieOf(renewed)).not.toBe(cookie)

  const logout = await svc.send('POST', '/auth/logout', signed)
  expect(logout.status).toBe(204)
  expect(logout.headers.get('set-cookie')).toBe(
    'svc_admin_session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict',
  )
  for (const token of [cookie, cookieOf(renewed)]) {
    const after = await svc.send('GET', '/auth/session', { headers: { cookie: token } })
    expect(after.status).toBe(401)
    expect(after.headers.get('set-cookie')).toContain('Max-Age=0')
  }
})

test('a remembered session outlives the browser, and over https its cookie is secure', async () => {
  await using svc = await setUp({ settings: { addr: '127.0.0.1:0', trusted_proxies: ['127.0.0.1'] } })
  const login = await svc.login({ remember: true }, { 'x-forwarded-proto': 'https' })
  expect(login.headers.get('set-cookie')).toMatch(
    /; Path=\/; Max-Age=2592000; Expires=Mon, 02 Mar 2026 12:00:00 GMT; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(await login.json()).toMatchObject({ expires_at: '2026-03-02T12:00:00Z' })
})

test('wrong passwords are counted over the login form and Basic together', async () => {
  await using svc = await setUp()
  for (let i = 0; i < 3; i++) {
    const wrong = await svc.login({ password: 'guess' })
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('set-cookie')).toBeNull()
  }
  for (let i = 0; i < 2; i++) {
    expect((await svc.send('POST', '/things', { headers: { authorization: basicAuth('admin', 'guess') } })).status).toBe(401)
  }
  const blocked = await svc.login()
  expect(blocked.status).toBe(429)
  expect(blocked.headers.get('retry-after')).toBe('60')
  expect(await blocked.json()).toMatchObject({ code: 'login_rate_limited' })
  svc.clock.ms += 60_001
  expect((await svc.login()).status).toBe(200)
})

test('clients behind a trusted proxy are limited separately', async () => {
  await using svc = await setUp({ settings: { addr: '127.0.0.1:0', trusted_proxies: ['127.0.0.0/8'] } })
  for (let i = 0; i < 5; i++) await svc.login({ password: 'guess' }, { 'x-forwarded-for': '203.0.113.1' })
  expect((await svc.login({}, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(429)
  expect((await svc.login({}, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(200)
})

test('an invalid login body is refused and does not count as an attempt', async () => {
  await using svc = await setUp()
  for (const body of ['text', {}, { username: 'admin' }, { username: 1, password: 'x' }, { ...testOperator, remember: 'yes' }]) {
    expect((await svc.send('POST', '/auth/login', { body })).status).toBe(400)
  }
  const large = { ...testOperator, password: 'x'.repeat(10 * 1024) }
  expect((await svc.send('POST', '/auth/login', { body: large })).status).toBe(400)
  expect((await svc.login({ later: 'member' })).status).toBe(200)
})

test('with authentication disabled the sign-in routes answer 404', async () => {
  const auth = { enabled: false, username: 'admin', password_hash: await cheapPasswordHash(), session_secret: 's', session_ttl: 1000 }
  await using svc = await setUp({ auth })
  expect((await svc.login()).status).toBe(404)
  expect((await svc.send('GET', '/auth/session')).status).toBe(404)
  expect((await svc.send('POST', '/things')).status).toBe(200)
})
