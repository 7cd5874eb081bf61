/** Limits of password guessing. Each test has its own client address, forwarded by a trusted proxy; the last service trusts none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'

const stack = new AsyncDisposableStack()
let behindProxy: Gateway
let alone: Gateway
beforeAll(async () => {
  behindProxy = stack.use(
    await startServeHere({ settings: { 'admin.trusted_proxies': ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'] } }),
  )
  alone = stack.use(await startServeHere())
})
afterAll(() => stack.disposeAsync())

const wrong = { ...testOperator, password: 'wrong' }
type Headers = Readonly<Record<string, string>>
const login = (credentials: object, headers: Headers, at = behindProxy) =>
  at.call('POST', '/api/v1/auth/login', { json: credentials, as: 'anonymous', headers })
const basic = ({ username, password }: typeof wrong, headers: Headers, at = behindProxy) => {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return at.call('GET', '/api/v1/overview', { as: 'anonymous', headers: { authorization, ...headers } })
}
const from = (address: string): Headers => ({ 'x-forwarded-for': address })
let last = 0
const newClient = () => from(`192.0.2.${++last}`)

async function guess(times: number, headers: Headers, at = behindProxy): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n++) statuses.push((await login(wrong, headers, at)).status)
  return statuses
}

async function expectBlocked(headers: Headers, at = behindProxy): Promise<void> {
  const reply = await login(testOperator, headers, at)
  expect(reply).toMatchObject({ status: 429, json: { error: expect.any(String), code: 'login_rate_limited' } })
  expect(reply.headers['set-cookie']).toBeUndefined()
  const seconds = Number(reply.headers['retry-after'])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
}

test('after five wrong passwords in a row even the right one is refused, with Retry-After', async () => {
  const client = newClient()
  expect(await guess(5, client)).toEqual([401, 401, 401, 401, 401])
  await expectBlocked(client)
  expect((await basic(wrong, client)).status).toBe(429)
  expect((await login(testOperator, newClient())).status).toBe(200)
})

test('a success resets the count', async () => {
  const client = newClient()
  for (let round = 0; round < 3; round++) {
    expect(await guess(4, client)).toEqual([401, 401, 401, 401])
    expect((await login(testOperator, client)).status).toBe(200)
  }
})

test('guesses by Basic and by the login form count together', async () => {
  const client = newClient()
  for (let n = 0; n < 2; n++) {
    expect((await basic(wrong, client)).status).toBe(401)
    expect((await login(wrong, client)).status).toBe(401)
  }
  expect((await basic(wrong, client)).status).toBe(401)
  await expectBlocked(client)
  // These credentials were never valid, so they are not cached.
  expect((await basic({ ...testOperator, password: 'also wrong' }, client)).status).toBe(429)
})

test('guesses under many names count together', async () => {
  const client = newClient()
  for (const username of ['root', 'administrator', 'Admin', '', 'svc']) {
    expect((await login({ username, password: 'guess' }, client)).status).toBe(401)
  }
  await expectBlocked(client)
})

test('concurrent guesses do not exceed the limit', async () => {
  const client = newClient()
  const statuses = await Promise.all(Array.from({ length: 30 }, async (_, n) => (await (n % 2 ? login : basic)(wrong, client)).status))
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(25)
  await expectBlocked(client)
})

test('invalid bodies, missing credentials and expired sessions do not count as attempts', async () => {
  const client = newClient()
  for (let n = 0; n < 6; n++) {
    expect((await login({ username: 'admin' }, client)).status).toBe(400)
    expect((await behindProxy.call('GET', '/api/v1/overview', { as: 'anonymous', headers: client })).status).toBe(401)
    const cookie = 'svc_admin_session=x.y'
    expect((await behindProxy.call('GET', '/api/v1/auth/session', { as: 'anonymous', headers: { ...client, cookie } })).status).toBe(401)
  }
  expect((await login(testOperator, client)).status).toBe(200)
})

test('a block does not affect sessions: they work, refresh and sign out', async () => {
  const session = await behindProxy.signIn()
  const client = newClient()
  await guess(5, client)
  await expectBlocked(client)
  for (const [method, path, status] of [
    ['GET', '/api/v1/overview', 200],
    ['POST', '/api/v1/auth/refresh', 200],
    ['POST', '/api/v1/auth/logout', 204],
  ] as const) {
    expect((await behindProxy.call(method, path, { as: session, headers: client })).status).toBe(status)
  }
})

test('a script whose own address proved its credentials is not locked out by guesses from there', async () => {
  const client = newClient()
  expect((await basic(testOperator, client)).status).toBe(200)
  await guess(5, client)
  await expectBlocked(client)
  expect((await basic(testOperator, client)).status).toBe(200)
})

test('I-42: a blocked client gets one answer for wrong passwords and for the one that another client uses', async () => {
  const client = newClient()
  await guess(5, client)
  expect((await basic(testOperator, newClient())).status).toBe(200)
  const answers = new Set<string>()
  for (const password of [...Array.from({ length: 200 }, (_, n) => `guess-${n}`), testOperator.password]) {
    const { status, json } = await basic({ ...testOperator, password }, client)
    answers.add(JSON.stringify([status, json]))
  }
  expect([...answers].map((answer) => JSON.parse(answer)[0])).toEqual([429])
})

test('pages of other sites neither sign in nor make attempts that block the browser of the operator', async () => {
  const client = newClient()
  const post = (body: unknown, headers: Headers) =>
    behindProxy.call('POST', '/api/v1/auth/login', { body: JSON.stringify(body), as: 'anonymous', headers: { ...client, ...headers } })
  const json = { 'content-type': 'application/json' }
  for (let n = 0; n < 6; n++) {
    // A form or a fetch without preflight: only these three media types.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect((await post(wrong, { 'content-type': type })).status).toBe(400)
    }
    for (const page of [{ origin: 'https://elsewhere.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect(await post(wrong, { ...json, ...page })).toMatchObject({ status: 403, json: { code: 'cross_site_refused' } })
    }
  }
  expect((await post(testOperator, { ...json, origin: 'https://elsewhere.example' })).headers['set-cookie']).toBeUndefined()
  expect((await post(testOperator, json)).status).toBe(200)
})

test('the own page signs in, also behind a proxy that hides scheme and host', async () => {
  for (const page of [
    { origin: new URL(alone.adminUrl).origin },
    { origin: 'https://svc.example', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]) {
    expect((await login(testOperator, page as Headers, alone)).status).toBe(200)
  }
})

describe.each([
  ['IPv4 with a port', '198.51.100.7', ['198.51.100.7:4711', ' 198.51.100.7 ', '::ffff:198.51.100.7', '[::ffff:c633:6407]:80']],
  ['IPv6', '2001:db8::7', ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:DB8::7', '[2001:db8::7]', '[2001:db8:0::7]:4711']],
])('one %s address', (_kind, address, spellings) => {
  test.each(spellings)('written as %j is the same client', async (spelling) => {
    await guess(5, from(address))
    await expectBlocked(from(spelling))
  })
})

describe('of forwarded addresses', () => {
  test('the last one that is not a trusted proxy counts, so entries before it have no effect', async () => {
    const client = '203.0.113.9'
    for (let n = 0; n < 5; n++) {
      expect((await login(wrong, from(`198.51.100.${n}, ${n}.2.3.4, ${client}, 10.1.2.3, unknown, 2001:db8:ffff::1`))).status).toBe(401)
    }
    await expectBlocked(from(`192.0.2.200, ${client}`))
    await expectBlocked({ 'x-forwarded-for': client, 'x-real-ip': '192.0.2.201' })
  })

  test('X-Real-IP is used when X-Forwarded-For has no untrusted address', async () => {
    const client = { 'x-real-ip': '203.0.113.10' }
    await guess(5, client)
    await expectBlocked({ ...client, 'x-forwarded-for': '10.9.9.9, nonsense' })
    expect((await login(testOperator, { 'x-real-ip': '203.0.113.11' })).status).toBe(200)
  })
})

test('without a trusted proxy forwarded addresses are ignored: every guess counts for the peer', async () => {
  const spoofed = (n: number): Headers => ({
    'x-forwarded-for': `192.0.2.${n}`,
    'x-real-ip': `192.0.2.${n}`,
    forwarded: `for=192.0.2.${n}`,
    'x-client-ip': `192.0.2.${n}`,
  })
  for (let n = 1; n <= 5; n++) expect((await login(wrong, spoofed(n), alone)).status).toBe(401)
  await expectBlocked(spoofed(6), alone)
  await expectBlocked({}, alone)
})
