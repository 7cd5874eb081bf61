import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { seenSessionsMax } from './seen-sessions.ts'
import { familyLimits, RevokedFamilies } from './session-family.ts'
import { sealSession, unsealSession } from './session-token.ts'
import { type SessionSettings, Sessions, viewSession } from './sessions.ts'

const hourMs = 3_600_000
const startMs = Date.UTC(2026, 0, 31, 12)

function setUp(settings: Partial<SessionSettings> = {}) {
  const clock = { ms: startMs, now: () => clock.ms }
  const sessions = new Sessions({ username: 'admin', secret: 'the secret', ttlMs: 12 * hourMs, ...settings }, clock)
  const read = (token: string) => sessions.read(`other=1; svc_admin_session=${token}; more=2`)
  return { clock, sessions, read }
}

test('a session shows username, expiry and earliest renewal', () => {
  const { sessions } = setUp()
  const { claims } = sessions.begin(false)
  expect(viewSession(claims)).toEqual({
    username: 'admin',
    csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: '2026-02-01T00:00:00Z',
    refresh_after: '2026-01-31T12:05:00.000Z',
  })
  expect(claims).not.toHaveProperty('remember')
})

test.each([
  [false, 2, 2],
  [true, 2, 30 * 24],
  [true, 31 * 24, 31 * 24],
])('remember=%s with a lifetime of %i h gives %i h', (remember, ttl, hours) => {
  const { claims } = setUp({ ttlMs: ttl * hourMs }).sessions.begin(remember)
  expect(claims.expires_at - claims.issued_at).toBe(hours * 3600)
})

test('a short session may be renewed after half of its life', () => {
  const { claims } = setUp({ ttlMs: 60_000 }).sessions.begin(false)
  expect(viewSession(claims).refresh_after).toBe('2026-01-31T12:00:30.000Z')
})

test('a session ends at the exact second of its expiry', () => {
  const { clock, sessions, read } = setUp()
  const { token } = sessions.begin(false)
  clock.ms += 12 * hourMs - 1
  expect(read(token)).toBeDefined()
  clock.ms += 1
  expect(read(token)).toBeUndefined()
})

test('a renewal keeps lifetime, CSRF token and family, and is refused before its time', () => {
  const { clock, sessions, read } = setUp()
  const first = sessions.begin(true)
  clock.ms += 5 * 60_000 - 1
  expect(sessions.renew(first.claims)).toBeUndefined()
  clock.ms += 1
  const renewed = sessions.renew(first.claims)
  expect(renewed?.claims).toEqual({
    ...first.claims,
    issued_at: first.claims.issued_at + 300,
    expires_at: first.claims.expires_at + 300,
  })
  expect(read(first.token)).toBeDefined()
})

test('ending a session ends every token of its family, and no other', () => {
  const { clock, sessions, read } = setUp()
  const first = sessions.begin(false)
  const other = sessions.begin(false)
  clock.ms += 10 * 60_000
  const renewed = sessions.renew(first.claims)
  expect(sessions.end(first.claims)).toBe(true)
  expect(read(first.token)).toBeUndefined()
  expect(read(renewed?.token ?? '')).toBeUndefined()
  expect(read(other.token)).toBeDefined()
  // The youngest token of the family could live this long.
  clock.ms += 12 * hourMs - 1
  sessions.end(other.claims)
  expect(read(renewed?.token ?? '')).toBeUndefined()
})

test('another secret or another username invalidates every session', () => {
  const { token } = setUp().sessions.begin(false)
  expect(setUp().read(token)).toBeDefined()
  expect(setUp({ secret: 'rotated' }).read(token)).toBeUndefined()
  expect(setUp({ username: 'root' }).read(token)).toBeUndefined()
})

test('a token that was changed, truncated, extended or re-encoded is refused', () => {
  const { sessions } = setUp()
  const { token, claims } = sessions.begin(false)
  expect(unsealSession(token, 'the secret')).toEqual(claims)
  const [content = '', signature = ''] = token.split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, expires_at: claims.expires_at * 2 })).toString('base64url')
  for (const bad of [
    '',
    '.',
    content,
    `${content}.`,
    `${token}.x`,
    `${forged}.${signature}`,
    `${content}.${signature}=`,
    `${content}.${signature.slice(1)}`,
  ]) {
    expect(unsealSession(bad, 'the secret'), bad).toBeUndefined()
  }
})

test('a well-signed token with impossible claims is refused', () => {
  const { sessions, read } = setUp()
  const { claims } = sessions.begin(false)
  for (const change of [{ csrf_token: '' }, { issued_at: 0 }, { issued_at: claims.expires_at }, { expires_at: '9' }]) {
    const content = Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')
    const signature = createHmac('sha256', 'the secret').update(content).digest('base64url')
    expect(read(`${content}.${signature}`), JSON.stringify(change)).toBeUndefined()
  }
  expect(read(sealSession(claims, 'the secret'))).toEqual(claims)
})

test('ended families are dropped when their tokens expired, and a full table is reported', () => {
  const clock = { ms: startMs, now: () => clock.ms }
  const families = new RevokedFamilies(clock)
  for (let i = 0; i < familyLimits.revokedMax; i++) expect(families.revoke(`s${i}`, startMs + 1000)).toBe(true)
  expect(families.revoke('one more', startMs + 1000)).toBe(false)
  expect(families.revoke('s0', startMs + 2000)).toBe(true)
  clock.ms += 1001
  expect(families.revoke('one more', clock.ms + 1000)).toBe(true)
  expect(families.isRevoked('s0')).toBe(true)
  expect(families.isRevoked('s1')).toBe(false)
})

test('ending a family again with an older token does not shorten its end', () => {
  const clock = { ms: startMs, now: () => clock.ms }
  const families = new RevokedFamilies(clock)
  families.revoke('s', startMs + 10 * hourMs)
  families.revoke('s', startMs + 1000)
  clock.ms += hourMs
  families.revoke('another', clock.ms + 1000)
  expect(families.isRevoked('s')).toBe(true)
})

const alice = { username: 'oidc:alice', role: 'operator', realm: 'a', maxMs: 24 * hourMs } as const

test('an external session is valid only while its realm is accepted, and shows its role', () => {
  const { sessions, read } = setUp()
  const { claims, token } = sessions.beginExternal(alice)
  expect(read(token)).toBeUndefined()
  sessions.accept('another')
  expect(read(token)).toBeUndefined()
  sessions.accept('a')
  expect(read(token)).toEqual(claims)
  expect(viewSession(claims)).toMatchObject({ username: 'oidc:alice', role: 'operator' })
})

test('an external session with the name of the local admin is not the local admin', () => {
  const { sessions, read } = setUp()
  expect(read(sessions.beginExternal({ ...alice, username: 'admin' }).token)).toBeUndefined()
})

test('renewals of an external session do not reach beyond its longest time', () => {
  const { clock, sessions, read } = setUp()
  sessions.accept('a')
  let issued = sessions.beginExternal(alice)
  const end = issued.claims.issued_at + 24 * 3600
  for (let hours = 0; hours < 23; hours += 1) {
    clock.ms += hourMs
    issued = sessions.renew(issued.claims) ?? issued
  }
  expect(issued.claims.expires_at).toBe(end)
  expect(sessions.renew(issued.claims)).toBeUndefined()
  clock.ms += hourMs - 1
  expect(read(issued.token)).toBeDefined()
  clock.ms += 1
  expect(read(issued.token)).toBeUndefined()
})

test('the list has the families that were seen, most recent first, until they end or expire', () => {
  const { clock, sessions, read } = setUp()
  sessions.accept('a')
  const own = sessions.begin(false)
  const other = sessions.beginExternal(alice)
  expect(sessions.list()).toEqual([])
  sessions.note(own.claims, '192.0.2.1')
  clock.ms += 1000
  sessions.note(other.claims, '192.0.2.2')
  expect(sessions.list().map(({ username, role, how, client }) => [username, role, how, client])).toEqual([
    ['oidc:alice', 'operator', 'external', '192.0.2.2'],
    ['admin', 'admin', 'password', '192.0.2.1'],
  ])
  const [first] = sessions.list()
  expect(sessions.endById(first?.id ?? '', first?.untilMs ?? 0)).toBe(true)
  expect([read(other.token), read(own.token)]).toEqual([undefined, own.claims])
  expect(sessions.list()).toHaveLength(1)
  clock.ms += 12 * hourMs
  expect(sessions.list()).toEqual([])
})

test('a renewal of an ended family is invalid too', () => {
  const { clock, sessions, read } = setUp()
  const { claims } = sessions.begin(false)
  sessions.note(claims, '::1')
  clock.ms += 5 * 60_000
  const renewed = sessions.renew(claims)
  const [seen] = sessions.list()
  sessions.endById(seen?.id ?? '', seen?.untilMs ?? 0)
  expect(renewed && read(renewed.token)).toBeUndefined()
})

test('the table of seen families is bounded: the least recent is forgotten', () => {
  const { sessions } = setUp()
  const first = sessions.begin(false)
  sessions.note(first.claims, '::1')
  for (let count = 0; count < seenSessionsMax; count += 1) sessions.note(sessions.begin(false).claims, '::2')
  expect(sessions.list()).toHaveLength(seenSessionsMax)
  expect(sessions.list().some(({ client }) => client === '::1')).toBe(false)
})
