import { expect, test } from 'vitest'
import { PendingSignIns, pendingLimits } from './pending-sign-in.ts'

const begun = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/buckets' }

function setUp() {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  return { clock, pending: new PendingSignIns(clock) }
}

test('a begun sign-in is taken once, by its own cookie', () => {
  const { pending } = setUp()
  const cookie = pending.seal(begun)
  expect(cookie).not.toContain(Buffer.from('verifier').toString('base64url'))
  expect(pending.take(cookie)).toMatchObject(begun)
  expect(pending.take(cookie)).toBeUndefined()
})

test('an old cookie, one of another process, a changed one and nonsense are nothing', () => {
  const { clock, pending } = setUp()
  const cookie = pending.seal(begun)
  const changed = `${cookie.slice(0, 20)}${cookie[20] === 'A' ? 'B' : 'A'}${cookie.slice(21)}`
  for (const other of [setUp().pending.seal(begun), changed, cookie.slice(0, -4), '', 'AAAA', undefined]) {
    expect(pending.take(other)).toBeUndefined()
  }
  clock.ms += pendingLimits.ms
  expect(pending.take(cookie)).toBeUndefined()
})
