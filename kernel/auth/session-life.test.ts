import { expect, test } from 'vitest'
import { Sessions } from './sessions.ts'

const hourMs = 3_600_000

function setUp() {
  const clock = { ms: Date.UTC(2026, 0, 31), now: () => clock.ms }
  const start = () => new Sessions({ username: 'admin', secret: 'the secret', ttlMs: 12 * hourMs }, clock)
  const read = (sessions: Sessions, token: string) => sessions.read(`svc_admin_session=${token}`)
  return { clock, start, read }
}

test('a session can be renewed without limit', () => {
  const { clock, start, read } = setUp()
  const sessions = start()
  let { claims, token } = sessions.begin(false)
  const first = claims
  for (let renewals = 0; renewals < 1000; renewals++) {
    clock.ms += 11 * hourMs
    const renewed = sessions.renew(claims)
    if (!renewed) throw new Error(`renewal ${renewals} was refused`)
    claims = renewed.claims
    token = renewed.token
  }
  expect(read(sessions, token)).toEqual(claims)
  expect(claims.expires_at - first.expires_at).toBe((1000 * 11 * hourMs) / 1000)
  expect(claims.csrf_token).toBe(first.csrf_token)
})

test('revocations are kept in memory only', () => {
  const { start, read } = setUp()
  const sessions = start()
  const { claims, token } = sessions.begin(false)
  sessions.end(claims)
  expect(read(sessions, token)).toBeUndefined()
  // The browser has no cookie any more, see logout; who kept a copy is let in until it expires.
  expect(read(start(), token)).toEqual(claims)
})
