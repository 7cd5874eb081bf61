import { expect, test } from 'vitest'
import { ProvedCredentials, proofLimits } from './proved-credentials.ts'

const right = { username: 'admin', password: 'right' }

function setUp() {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  const proved = new ProvedCredentials(clock)
  const has = (address = 'a', isBlocked = false) => proved.has(right, address, { isBlocked })
  return { clock, proved, has }
}

test('I-42: a proof counts for its own address, username and password only', () => {
  const { proved, has } = setUp()
  proved.add(right, 'a')
  expect(has('a')).toBe(true)
  expect(has('b')).toBe(false)
  expect(proved.has({ ...right, password: 'wrong' }, 'a', { isBlocked: false })).toBe(false)
  expect(proved.has({ username: 'root', password: 'right' }, 'a', { isBlocked: true })).toBe(false)
  expect(proved.has({ ...right, username: ' admin ' }, 'a', { isBlocked: false })).toBe(true)
})

test('a proof ends after its time, used or not', () => {
  const { clock, proved, has } = setUp()
  proved.add(right, 'a')
  clock.ms += proofLimits.ms - 1
  expect(has()).toBe(true)
  clock.ms += 1
  expect(has()).toBe(false)
})

test('while its address is blocked a proof lasts longer, and through a series of blocks if it is used', () => {
  const { clock, proved, has } = setUp()
  proved.add(right, 'a')
  for (let blocks = 0; blocks < 3; blocks++) {
    clock.ms += proofLimits.blockedMs - 1
    expect(has('a', false)).toBe(false)
    expect(has('a', true)).toBe(true)
  }
  clock.ms += proofLimits.blockedMs
  expect(has('a', true)).toBe(false)
})

test('a clock that is set back ends proofs', () => {
  const { clock, proved, has } = setUp()
  proved.add(right, 'a')
  clock.ms -= 1
  expect(has()).toBe(false)
})

test('the number of proofs is limited: the oldest is dropped', () => {
  const { proved, has } = setUp()
  for (let n = 0; n <= proofLimits.entriesMax; n++) proved.add(right, `address-${n}`)
  expect([has('address-0'), has('address-1')]).toEqual([false, true])
})
