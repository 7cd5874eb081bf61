/** Signing in, staying signed in and signing out, as a browser does it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { AdminCall, AdminReply, BrowserSession } from '../fixtures/admin-calls.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { until } from '../fixtures/until.ts'

const stack = new AsyncDisposableStack()
let svc: Gateway
/** Its sessions live four seconds and may be renewed after two. */
let brief: Gateway
beforeAll(async () => {
  svc = stack.use(await startServeHere())
  brief = stack.use(await startServeHere({ settings: { 'admin.auth.session_ttl': '4s' } }))
})
afterAll(() => stack.disposeAsync())

const login = (json: object) => svc.call('POST', '/api/v1/auth/login', { json, as: 'anonymous' })
const sessionOf = (at: Gateway, cookie: string) => at.call('GET', '/api/v1/auth/session', { as: 'anonymous', headers: { cookie } })
const refresh = (at: Gateway, as: AdminCall['as'] & object) => at.call('POST', '/api/v1/auth/refresh', { as })
const logout = (at: Gateway, as: AdminCall['as'] & object) => at.call('POST', '/api/v1/auth/logout', { as })
const cookieLineOf = ({ headers }: AdminReply) => headers['set-cookie']?.[0] ?? ''
const cookieOf = (reply: AdminReply) => cookieLineOf(reply).split(';', 1)[0] ?? ''
const cleared = 'svc_admin_session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict'
const refused = { status: 401, json: { code: 'authentication_required' } }

const waitUntil = (time: string) => until(time, async () => (Date.now() > Date.parse(time) ? true : undefined), { everyMs: 20 })

describe('a login', () => {
  test('creates a session with a cookie that ends with the browser', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000
    const reply = await login(testOperator)
    expect(reply).toMatchObject({
      status: 200,
      json: { username: testOperator.username, csrf_token: expect.stringMatching(/^[\w-]{43}$/) },
    })
    expect(Object.keys(reply.json).sort()).toEqual(['csrf_token', 'expires_at', 'refresh_after', 'username'])
    expect(cookieLineOf(reply)).toMatch(/^svc_admin_session=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(reply.json.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const lifetimeMs = Date.parse(reply.json.expires_at) - before
    expect(lifetimeMs).toBeGreaterThanOrEqual(12 * 3_600_000)
    expect(lifetimeMs).toBeLessThan(12 * 3_600_000 + 60_000)
    expect(Date.parse(reply.json.expires_at) - Date.parse(reply.json.refresh_after)).toBe(12 * 3_600_000 - 5 * 60_000)
  })

  test('with remember sets a cookie of 30 days', async () => {
    const reply = await login({ ...testOperator, remember: true })
    const days30 = 30 * 24 * 3600
    const [, maxAge, expires] = / Max-Age=(\d+); Expires=([^;]+); HttpOnly; SameSite=Strict$/.exec(cookieLineOf(reply)) ?? []
    expect(Number(maxAge)).toBe(days30)
    expect(Date.parse(expires ?? '')).toBe(Date.parse(reply.json.expires_at))
    expect(Date.parse(reply.json.expires_at)).toBeGreaterThan(Date.now() + (days30 - 60) * 1000)
  })

  test('with remember keeps a configured lifetime above 30 days', async () => {
    await using long = await startServeHere({ settings: { 'admin.auth.session_ttl': '1000h' } })
    const reply = await long.call('POST', '/api/v1/auth/login', { json: { ...testOperator, remember: true }, as: 'anonymous' })
    expect(cookieLineOf(reply)).toContain(`; Max-Age=${1000 * 3600};`)
  })

  test('accepts unknown members and spaces around the name', async () => {
    const reply = await login({ ...testOperator, username: ` ${testOperator.username} `, device: { name: 'phone' } })
    expect(reply.status).toBe(200)
  })

  test.each([
    ['a wrong password', { ...testOperator, password: 'wrong' }],
    ['a wrong name', { ...testOperator, username: 'root' }],
    ['a password in other letters', { ...testOperator, password: testOperator.password.toUpperCase() }],
    ['blanks around the password', { ...testOperator, password: ` ${testOperator.password}` }],
  ])('with %s is refused with the same message and sets no cookie', async (_what, credentials) => {
    const reply = await login(credentials)
    expect([reply.status, reply.json]).toEqual([401, { error: 'The username or password is wrong.', code: 'authentication_required' }])
    expect(reply.headers['set-cookie']).toBeUndefined()
    expect(reply.headers['www-authenticate']).toBeUndefined()
    // A success, so that the failures of one test do not block the next.
    expect((await login(testOperator)).status).toBe(200)
  })

  test.each([
    ['no body', ''],
    ['text that is no JSON', 'username=admin'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no password', JSON.stringify({ username: testOperator.username })],
    ['a number for a password', JSON.stringify({ username: testOperator.username, password: 1 })],
    ['a text for remember', JSON.stringify({ ...testOperator, remember: 'yes' })],
    ['more than 10 KiB', JSON.stringify({ ...testOperator, padding: 'x'.repeat(10 * 1024) })],
  ])('with %s is refused as an invalid body', async (_what, body) => {
    const reply = await svc.call('POST', '/api/v1/auth/login', { body, as: 'anonymous', headers: { 'content-type': 'application/json' } })
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('never accepts a session id from the client', async () => {
    const { cookie: attackers } = await svc.signIn()
    const chosen = 'svc_admin_session=chosen.by-the-client'
    for (const cookie of [attackers, chosen]) {
      const reply = await svc.call('POST', '/api/v1/auth/login', { json: testOperator, as: 'anonymous', headers: { cookie } })
      expect(reply.status).toBe(200)
      expect(cookieOf(reply)).not.toBe(cookie)
    }
    expect(await sessionOf(svc, chosen)).toMatchObject(refused)
    // The earlier session belongs to another family: ending it does not end the new one.
    const [first, second] = [await svc.signIn(), await svc.signIn()]
    expect(first.csrfToken).not.toBe(second.csrfToken)
    expect((await logout(svc, first)).status).toBe(204)
    expect((await sessionOf(svc, second.cookie)).status).toBe(200)
  })
})

describe('a session', () => {
  test('is returned only for its cookie', async () => {
    const { cookie, body } = await svc.signIn()
    expect(await sessionOf(svc, cookie)).toMatchObject({ status: 200, json: body })
    for (const reply of [
      await svc.call('GET', '/api/v1/auth/session', { as: 'anonymous' }),
      await svc.call('GET', '/api/v1/auth/session'),
    ]) {
      expect(reply).toMatchObject({ ...refused, headers: { 'set-cookie': [cleared] } })
    }
  })

  test('is refused with a changed, truncated or duplicate cookie', async () => {
    const { cookie } = await svc.signIn()
    const [name, token = ''] = cookie.split('=')
    const [claims = '', signature = ''] = token.split('.')
    const changed = Buffer.from(claims, 'base64url').toString().replace('"expires_at":1', '"expires_at":2')
    for (const value of [
      `${Buffer.from(changed).toString('base64url')}.${signature}`,
      `${claims}.`,
      claims,
      `${claims}.${signature}A`,
      `${claims}.${signature}=`,
      `${token}.x`,
      '',
      `${token}; ${name}=${token}`,
      `x; ${name}=${token}`,
    ]) {
      expect([value, (await sessionOf(svc, `${name}=${value}`)).status]).toEqual([value, 401])
    }
    expect((await sessionOf(svc, cookie)).status).toBe(200)
  })

  test('is returned unchanged by a refresh before refresh_after', async () => {
    const session = await svc.signIn()
    const reply = await refresh(svc, session)
    expect([reply.status, reply.json, reply.headers['set-cookie']]).toEqual([200, session.body, undefined])
  })

  test('is renewed by a refresh after refresh_after, keeping lifetime, CSRF token and family', async () => {
    const session = await brief.signIn()
    await waitUntil(session.body.refresh_after)
    const reply = await refresh(brief, session)
    expect(reply).toMatchObject({ status: 200, json: { username: session.body.username, csrf_token: session.csrfToken } })
    const lifetimeOf = ({ expires_at, refresh_after }: { expires_at: string; refresh_after: string }) =>
      Date.parse(expires_at) - Date.parse(refresh_after)
    expect(lifetimeOf(reply.json)).toBe(lifetimeOf(session.body))
    expect(Date.parse(reply.json.expires_at)).toBeGreaterThan(Date.parse(session.body.expires_at))
    expect(cookieLineOf(reply)).toMatch(/^svc_admin_session=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/)
    const renewed: BrowserSession = { cookie: cookieOf(reply), csrfToken: session.csrfToken, body: reply.json }
    expect(await sessionOf(brief, renewed.cookie)).toMatchObject({ status: 200, json: reply.json })
    // One family: the logout of the old token ends the new one.
    expect((await logout(brief, session)).status).toBe(204)
    expect(await sessionOf(brief, renewed.cookie)).toMatchObject(refused)
  })

  test('can be renewed beyond its first expiry, and ends at expires_at', async () => {
    let session = await brief.signIn()
    const firstEnd = session.body.expires_at
    while (Date.now() <= Date.parse(firstEnd)) {
      await waitUntil(session.body.refresh_after)
      const reply = await refresh(brief, session)
      expect(reply.status).toBe(200)
      session = { cookie: cookieOf(reply), csrfToken: session.csrfToken, body: reply.json }
    }
    expect((await sessionOf(brief, session.cookie)).status).toBe(200)
    await waitUntil(session.body.expires_at)
    for (const call of [
      sessionOf(brief, session.cookie),
      brief.call('GET', '/api/v1/overview', { as: session }),
      refresh(brief, session),
    ]) {
      expect(await call).toMatchObject({ ...refused, headers: { 'set-cookie': [cleared] } })
    }
  })
})

describe('a logout', () => {
  test('ends the session and clears the cookie', async () => {
    const session = await svc.signIn({ remember: true })
    const reply = await logout(svc, session)
    expect([reply.status, reply.text, cookieLineOf(reply)]).toEqual([204, '', cleared])
    expect(await svc.call('GET', '/api/v1/overview', { as: session })).toMatchObject(refused)
    expect(await refresh(svc, session)).toMatchObject(refused)
    expect(await logout(svc, session)).toMatchObject(refused)
  })

  test('ends tokens issued before the last refresh, and those of refreshes at the same moment', async () => {
    const session = await brief.signIn()
    await waitUntil(session.body.refresh_after)
    const refreshes = () => Array.from({ length: 8 }, () => refresh(brief, session))
    const before = refreshes()
    const leaving = logout(brief, session)
    const replies = await Promise.all([...before, ...refreshes()])
    expect((await leaving).status).toBe(204)
    const tokens = [session.cookie, ...replies.filter(({ status }) => status === 200).map(cookieOf)]
    for (const cookie of tokens) expect(await sessionOf(brief, cookie)).toMatchObject(refused)
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([200, 401])).size).toBe(0)
  })
})

test.each(['refresh', 'logout'])('HTTP Basic does not %s, with or without a session', async (action) => {
  const path = `/api/v1/auth/${action}`
  expect(await svc.call('POST', path)).toMatchObject(refused)
  const { cookie, csrfToken } = await svc.signIn()
  expect(await svc.call('POST', path, { headers: { cookie } })).toMatchObject({ status: 403, json: { code: 'csrf_required' } })
  expect((await sessionOf(svc, cookie)).status).toBe(200)
  const own = { cookie, 'x-svc-csrf': csrfToken }
  expect((await svc.call('POST', path, { as: 'anonymous', headers: own })).status).toBe(action === 'refresh' ? 200 : 204)
})
