import { expect, test } from 'vitest'
import { ProvedCredentials, proofLimits } from './proved-credentials.ts'
import { signInLimits } from './rate-limit.ts'

const right = { username: 'admin', password: 'right' }

function setUp() {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  const proved = new ProvedCredentials(clock)
  const use = (address = 'a', isBlocked = false) => proved.use(right, address, { isBlocked })
  return { clock, proved, use }
}

test('I-42: a proof counts for its own address, username and password only', () => {
  const { proved, use } = setUp()
  proved.add(right, 'a')
  expect(use('a')).toBe(true)
  expect(use('b')).toBe(false)
  expect(proved.use({ ...right, password: 'wrong' }, 'a', { isBlocked: false })).toBe(false)
  expect(proved.use({ username: 'root', password: 'right' }, 'a', { isBlocked: true })).toBe(false)
  expect(proved.use({ ...right, username: ' admin ' }, 'a', { isBlocked: false })).toBe(true)
})

test('a proof expires when it is not used, and each use renews it', () => {
  const { clock, proved, use } = setUp()
  proved.add(right, 'a')
  for (let n = 0; n < 5; n++) {
    clock.ms += proofLimits.ms - 1
    expect(use()).toBe(true)
  }
  clock.ms += proofLimits.ms
  expect(use()).toBe(false)
})

test('a proof that was current when a block began lasts until the block ends', () => {
  const { clock, proved, use } = setUp()
  proved.add(right, 'a')
  clock.ms += proofLimits.ms - 1 + signInLimits.blockMs
  expect(use('a', false)).toBe(false)
  expect(use('a', true)).toBe(true)
  clock.ms += proofLimits.blockedMs
  expect(use('a', true)).toBe(false)
})

test('a clock that is set back ends proofs', () => {
  const { clock, proved, use } = setUp()
  proved.add(right, 'a')
  clock.ms -= 1
  expect(use()).toBe(false)
})

test('the number of proofs is limited: the one that was not used for the longest time is dropped', () => {
  const { proved, use } = setUp()
  for (let n = 0; n < proofLimits.entriesMax; n++) proved.add(right, `address-${n}`)
  expect(use('address-0')).toBe(true)
  proved.add(right, 'newcomer')
  expect(use('address-1')).toBe(false)
  expect(use('address-0')).toBe(true)
})
