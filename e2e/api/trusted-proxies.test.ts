/** Scheme and host reported by proxies, trusted and untrusted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

const stack = new AsyncDisposableStack()
let trusting: Gateway
let alone: Gateway
let elsewhere: Gateway
beforeAll(async () => {
  const start = async (trusted: readonly string[]) => stack.use(await startServeHere({ settings: { 'admin.trusted_proxies': trusted } }))
  trusting = await start(['127.0.0.0/8'])
  alone = await sharedServe()
  elsewhere = await start(['10.0.0.0/8', '::1', '192.0.2.1'])
})
afterAll(() => stack.disposeAsync())

const https = { 'x-forwarded-proto': 'https' }
const cookieLines = async (at: Gateway, headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const login = await at.call('POST', '/api/v1/auth/login', { json: testOperator, as: 'anonymous', headers })
  const cookie = login.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  const own = { cookie, 'x-svc-csrf': login.json.csrf_token, ...headers }
  const logout = await at.call('POST', '/api/v1/auth/logout', { as: 'anonymous', headers: own })
  const dead = await at.call('GET', '/api/v1/overview', { as: 'anonymous', headers: own })
  expect([login.status, logout.status, dead.status]).toEqual([200, 204, 401])
  return [login, logout, dead].flatMap((reply) => reply.headers['set-cookie'] ?? [])
}

describe('the cookie', () => {
  test.each([
    ['https', true],
    ['HTTPS', true],
    ['http, https', true],
    ['https, http', false],
    ['http', false],
    ['wss', false],
    ['', false],
  ])('over a trusted proxy that reports the scheme %j is Secure: %s', async (proto, isSecure) => {
    const lines = await cookieLines(trusting, { 'x-forwarded-proto': proto })
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(isSecure ? /; HttpOnly; Secure; SameSite=Strict$/ : /; HttpOnly; SameSite=Strict$/)
  })

  test('is not Secure when an untrusted peer reports https', async () => {
    for (const at of [alone, elsewhere]) expect((await cookieLines(at, https)).join()).not.toContain('Secure')
  })
})

describe('the origin that Basic is compared with', () => {
  const proxied = { ...https, 'x-forwarded-host': 'svc.example' }
  const statusOf = async (at: Gateway, headers: Readonly<Record<string, string>>) =>
    (await at.call('GET', '/api/v1/overview', { headers })).status

  test('is the forwarded one behind a trusted proxy', async () => {
    expect(await statusOf(trusting, { ...proxied, origin: 'https://svc.example' })).toBe(200)
    expect(await statusOf(trusting, { ...proxied, origin: 'https://svc.example:443' })).toBe(200)
    expect(
      await statusOf(trusting, { ...proxied, 'x-forwarded-host': 'evil.example, svc.example:8443', origin: 'https://svc.example:8443' }),
    ).toBe(200)
    expect(await statusOf(trusting, { ...proxied, referer: 'https://svc.example/buckets' })).toBe(200)
  })

  test.each(['http://svc.example', 'https://svc.example:8443', 'https://elsewhere.example', 'null'])(
    'refuses %s behind a trusted proxy',
    async (origin) => {
      expect(await statusOf(trusting, { ...proxied, origin })).toBe(403)
    },
  )

  test('is never taken from an untrusted peer', async () => {
    for (const at of [alone, elsewhere]) {
      expect(await statusOf(at, { ...proxied, origin: 'https://svc.example' })).toBe(403)
      expect(await statusOf(at, { ...proxied, origin: at.adminUrl })).toBe(200)
    }
  })
})

test('an invalid trusted proxy stops the start and is named', async () => {
  const starting = startServeHere({ settings: { 'admin.trusted_proxies': ['proxy.local'] } })
  await expect(starting).rejects.toThrow(/admin\.trusted_proxies .*must be an IP address or a CIDR/)
})
