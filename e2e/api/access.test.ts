/** Which endpoints are open, which need an operator, and what a browser session needs besides its cookie. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sendRaw, testAuthorization } from '#kernel/testing'
import type { BrowserSession } from '../fixtures/admin-calls.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let session: BrowserSession
let other: BrowserSession
beforeAll(async () => {
  svc = await sharedServe()
  session = await svc.signIn()
  other = await svc.signIn()
})

const cleared = expect.stringMatching(/^svc_admin_session=; Path=\/; Max-Age=0; /)
const loginNeeded = { status: 401, json: { error: expect.any(String), code: 'authentication_required' } }
const csrfNeeded = { status: 403, json: { error: expect.any(String), code: 'csrf_required' } }

test('health needs no credentials and ignores wrong ones', async () => {
  const wrong = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
  for (const call of [{ as: 'anonymous' }, { as: 'operator' }, { as: 'anonymous', headers: wrong }] as const) {
    expect(await svc.call('GET', '/healthz', call)).toMatchObject({ status: 200, json: { status: 'ok' } })
  }
  expect(await svc.call('HEAD', '/healthz', { as: 'anonymous' })).toMatchObject({ status: 200, text: '' })
})

describe.each([
  'GET /metrics',
  'GET /api/v1/overview',
  'HEAD /api/v1/overview',
  'OPTIONS /api/v1/overview',
  'GET /api/v1/workers',
  'GET /api/v1/cache/stats',
  'GET /api/v1/system/info',
  'GET /api/v1/system/plugins',
  'GET /api/v1/settings',
  'GET /api/v1/events',
  'GET /api/v1/openapi.json',
  'GET /api/v1/nothing',
  'GET /admin/nothing',
  'POST /api/v1/buckets',
  'DELETE /api/v1/buckets/any',
  'PUT /api/v1/settings',
  'PATCH /api/v1/settings',
  'POST /api/v1/chain/readiness/preflight',
  'GET /api/v1/auth/nothing',
])('%s', (line) => {
  const [method = '', path = ''] = line.split(' ')
  test('is refused without credentials, sends no WWW-Authenticate, and clears the invalid cookie', async () => {
    const reply = await svc.call(method, path, { as: 'anonymous' })
    expect(reply.status).toBe(401)
    expect(reply.headers['www-authenticate']).toBeUndefined()
    expect(reply.headers['set-cookie']).toEqual([cleared])
    if (method !== 'HEAD') expect(reply.json).toMatchObject(loginNeeded.json)
  })
})

test.each(['/metrics', '/api/v1/overview', '/api/v1/settings'])('%s accepts the cookie alone and Basic', async (path) => {
  expect((await svc.call('GET', path)).status).toBe(200)
  const { cookie } = session
  // HEAD is served only where the answer is JSON.
  for (const method of path === '/metrics' ? ['GET'] : ['GET', 'HEAD']) {
    expect((await svc.call(method, path, { as: 'anonymous', headers: { cookie } })).status).toBe(200)
  }
})

test.each(['nonsense', 'Basic', 'Basic !!!', 'Basic bm8tY29sb24=', 'Bearer x', 'Digest username="admin"'])(
  'Authorization: %s counts as absent, so the cookie decides',
  async (authorization) => {
    expect(await svc.call('GET', '/api/v1/overview', { headers: { authorization } })).toMatchObject(loginNeeded)
    expect((await svc.call('GET', '/api/v1/overview', { as: session, headers: { authorization } })).status).toBe(200)
  },
)

test('wrong Basic credentials are refused despite a valid cookie, which is not cleared', async () => {
  const authorization = `Basic ${Buffer.from('admin:wrong').toString('base64')}`
  const reply = await svc.call('GET', '/api/v1/overview', { as: session, headers: { authorization } })
  expect(reply).toMatchObject(loginNeeded)
  expect(reply.headers['set-cookie']).toBeUndefined()
  expect((await svc.call('GET', '/api/v1/overview')).status).toBe(200)
})

describe('a cookie alone is refused', () => {
  const changes = [
    ['PUT', '/api/v1/settings'],
    ['POST', '/api/v1/settings/validate'],
    ['POST', '/api/v1/buckets'],
    ['DELETE', '/api/v1/buckets/any'],
    ['PATCH', '/api/v1/buckets/any'],
    ['POST', '/api/v1/auth/refresh'],
    ['POST', '/api/v1/auth/logout'],
  ] as const
  test.each(changes)('%s %s accepts only the CSRF token of its own session family', async (method, path) => {
    const { cookie, csrfToken } = session
    const tokens = [
      '',
      'x',
      csrfToken.slice(0, -1),
      `${csrfToken}x`,
      csrfToken.toLowerCase(),
      `${csrfToken}, ${csrfToken}`,
      other.csrfToken,
    ]
    for (const token of [undefined, ...tokens]) {
      const headers = { cookie, ...(token === undefined ? {} : { 'x-svc-csrf': token }) }
      const reply = await svc.call(method, path, { as: 'anonymous', headers, json: {} })
      expect(reply).toMatchObject(csrfNeeded)
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
    // The token is accepted in its header only.
    const query = await svc.call(method, `${path}?csrf_token=${csrfToken}&x-svc-csrf=${csrfToken}`, {
      as: 'anonymous',
      headers: { cookie },
    })
    expect(query).toMatchObject(csrfNeeded)
    const inCookie = await svc.call(method, path, { as: 'anonymous', headers: { cookie: `${cookie}; x-svc-csrf=${csrfToken}` } })
    expect(inCookie).toMatchObject(csrfNeeded)
  })

  test('the CSRF token alone is refused', async () => {
    const headers = { 'x-svc-csrf': session.csrfToken }
    expect(await svc.call('POST', '/api/v1/settings/validate', { as: 'anonymous', headers, json: {} })).toMatchObject(loginNeeded)
  })

  test('with cookie and CSRF token the change is made', async () => {
    expect(await svc.call('POST', '/api/v1/settings/validate', { as: session, json: {} })).toMatchObject({
      status: 200,
      json: { validation_errors: [] },
    })
    expect((await svc.call('POST', '/api/v1/settings/validate', { json: {} })).status).toBe(200)
  })
})

const tricks = [
  '//api/v1/overview',
  '/api//v1/overview',
  '/api/v1//overview',
  '/api/v1/./overview',
  '/./api/v1/overview',
  '/x/../api/v1/overview',
  '/healthz/../api/v1/overview',
  '/api/v1/auth/login/../../overview',
  '/api/v1/auth/session/../../overview',
  '/%61pi/v1/overview',
  '/api/v1/%6fverview',
  '/api%2fv1%2foverview',
  '/api%2Fv1/overview',
  '/x/%2e%2e/api/v1/overview',
  '/x/%2E./api/v1/overview',
  '/x/..%2fapi/v1/overview',
  '/api/v1/auth/%6cogin/../../overview',
  '/api/v1/overview/',
  '/api/v1/overview?x=/healthz',
  '/api/v1/overview#/healthz',
  '/metrics/',
  '//metrics',
  '/%6detrics',
  '/x/../metrics',
  '/./metrics?x',
  'http://elsewhere.example/api/v1/overview',
  'http://elsewhere.example//api/v1/overview',
  'https://elsewhere.example/metrics',
]
const ask = async (target: string, ...lines: readonly string[]) =>
  sendRaw(svc.adminUrl, [`GET ${target} HTTP/1.1`, 'Host: svc', ...lines, 'Connection: close', '', ''].join('\r\n'))

test.each(tricks)('%s does not bypass the guard', async (target) => {
  expect(await ask(target)).toMatch(/^HTTP\/1\.1 401 .*"code":"authentication_required"/s)
  // The path is served, invalid or not found with credentials.
  expect(await ask(target, `Authorization: ${testAuthorization}`)).toMatch(/^HTTP\/1\.1 (200|400|404) /)
})

test.each([
  '/api\\v1\\overview',
  '/API/v1/overview',
  '/api/v1;x/overview',
  '/api/v1%00/overview',
  '/api/v1/overview%',
  '/%ff',
  'http://elsewhere.example?x=/api/v1/overview',
])('%s is answered without a redirect to another site, and without the page of the dashboard', async (target) => {
  expect(await ask(target)).toMatch(/^HTTP\/1\.1 (400|401|404) /)
})

test('no answer has CORS headers for another site', async () => {
  const origin = 'https://elsewhere.example'
  const preflight = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-svc-csrf' }
  for (const reply of [
    await svc.call('OPTIONS', '/api/v1/settings', { as: 'anonymous', headers: preflight }),
    await svc.call('OPTIONS', '/api/v1/auth/login', { as: 'anonymous', headers: preflight }),
    await svc.call('GET', '/healthz', { as: 'anonymous', headers: { origin } }),
    await svc.call('GET', '/api/v1/overview', { as: session, headers: { origin } }),
  ]) {
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

describe('a Basic request that a browser sends for a page of another site', () => {
  const refusedFor = (headers: Record<string, string>) => svc.call('GET', '/api/v1/overview', { headers })
  const own = () => svc.adminUrl
  const { port, host } = { port: () => Number(new URL(own()).port), host: () => new URL(own()).host }
  test.each<readonly [string, () => Record<string, string>]>([
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['Sec-Fetch-Site in other letter case, with our own Origin', () => ({ 'sec-fetch-site': 'Cross-Site', origin: own() })],
    ['another Origin', () => ({ origin: 'https://elsewhere.example' })],
    ['the Origin null', () => ({ origin: 'null' })],
    ['an empty Origin', () => ({ origin: '' })],
    ['an Origin of another port', () => ({ origin: `http://127.0.0.1:${port() + 1}` })],
    ['an Origin of another scheme', () => ({ origin: `https://${host()}` })],
    ['an Origin of another name of this machine', () => ({ origin: `http://localhost:${port()}` })],
    ['an Origin that only begins like ours', () => ({ origin: `${own()}.elsewhere.example` })],
    ['an Origin that only names us as a user', () => ({ origin: `http://${host()}@elsewhere.example` })],
    ['a foreign Origin and our own Referer', () => ({ origin: 'https://elsewhere.example', referer: `${own()}/` })],
    ['Sec-Fetch-Site: same-site from a sister', () => ({ 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' })],
    ['another Referer', () => ({ referer: 'https://elsewhere.example/page' })],
    ['a Referer that is no address', () => ({ referer: 'about:blank' })],
    [
      'a forwarded host from an untrusted peer',
      () => ({ origin: 'https://a.example', 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }),
    ],
  ])('is refused: %s', async (_what, headers) => {
    expect(await refusedFor(headers())).toMatchObject({ status: 403, json: { code: 'cross_site_basic' } })
  })

  test.each<readonly [string, () => Record<string, string>]>([
    ['none of these headers, like a script', () => ({})],
    ['our own Origin', () => ({ origin: own() })],
    ['our own Referer', () => ({ referer: `${own()}/admin/buckets?x=1` })],
    ['Sec-Fetch-Site: same-origin and our Origin', () => ({ 'sec-fetch-site': 'same-origin', origin: own() })],
    ['Sec-Fetch-Site: none, an address typed by hand', () => ({ 'sec-fetch-site': 'none' })],
  ])('does not include %s', async (_what, headers) => {
    expect((await refusedFor(headers())).status).toBe(200)
  })

  test('is refused before the password is checked', async () => {
    const headers = { origin: 'https://elsewhere.example', authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
    for (let guess = 0; guess < 8; guess++) {
      expect(await svc.call('POST', '/api/v1/settings/validate', { headers, json: {} })).toMatchObject({ status: 403 })
    }
    expect((await svc.call('GET', '/api/v1/overview')).status).toBe(200)
  })
})
