import { expect, test } from 'vitest'
import { type Attempt, SignInLimiter, signInLimits } from './rate-limit.ts'

const right = async () => true
const wrong = async () => false

function setUp() {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  const limiter = new SignInLimiter(clock)
  const fail = async (address: string, times: number): Promise<Attempt | undefined> => {
    let last: Attempt | undefined
    for (let i = 0; i < times; i++) last = await limiter.attempt(address, wrong)
    return last
  }
  return { clock, limiter, fail }
}

test('after five wrong passwords even the right one is refused for 60 s, the last millisecond included', async () => {
  const { clock, limiter, fail } = setUp()
  expect(await fail('a', 5)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'limited', retryAfterSeconds: 60 })
  clock.ms += 59_500
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'limited', retryAfterSeconds: 1 })
  clock.ms += 500
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'limited', retryAfterSeconds: 1 })
  clock.ms += 1
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'right' })
})

test('other addresses are not affected, and a success in between starts the count anew', async () => {
  const { limiter, fail } = setUp()
  await fail('a', 5)
  expect(await limiter.attempt('b', right)).toEqual({ kind: 'right' })
  await fail('b', 4)
  await limiter.attempt('b', right)
  expect(await fail('b', 4)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('b', right)).toEqual({ kind: 'right' })
})

test('after a block the count starts from zero', async () => {
  const { clock, limiter, fail } = setUp()
  await fail('a', 5)
  clock.ms += 60_001
  expect(await fail('a', 4)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'right' })
})

test('failures are forgotten ten minutes after the last attempt', async () => {
  const { clock, limiter, fail } = setUp()
  await fail('a', 4)
  clock.ms += signInLimits.memoryMs + 1
  expect(await fail('a', 4)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'right' })
})

test('guesses sent at the same time are judged one after another, so only five are verified', async () => {
  const { limiter } = setUp()
  let verified = 0
  let together = 0
  const slowly = async () => {
    verified++
    expect(++together).toBe(1)
    await new Promise(setImmediate)
    together--
    return false
  }
  const attempts = await Promise.all(Array.from({ length: 20 }, () => limiter.attempt('a', slowly)))
  expect(verified).toBe(5)
  expect(attempts.filter(({ kind }) => kind === 'limited')).toHaveLength(15)
})

test('more attempts of one address than may wait are refused at once', async () => {
  const { limiter } = setUp()
  const attempts = Array.from({ length: signInLimits.waitingMax + 1 }, () => limiter.attempt('a', right))
  expect(await attempts.at(-1)).toEqual({ kind: 'limited', retryAfterSeconds: 1 })
  expect(await attempts[0]).toEqual({ kind: 'right' })
})

test('a verification that throws does not hold up the next one', async () => {
  const { limiter } = setUp()
  const broken = limiter.attempt('a', async () => {
    throw new Error('no memory')
  })
  const next = limiter.attempt('a', right)
  await expect(broken).rejects.toThrow('no memory')
  expect(await next).toEqual({ kind: 'right' })
})

test('a full table makes room by forgetting the oldest address that is not blocked', async () => {
  const { limiter, fail } = setUp()
  await fail('oldest', 4)
  for (let i = 1; i < signInLimits.addressesMax; i++) await limiter.attempt(`ip-${i}`, wrong)
  await limiter.attempt('newcomer', wrong)
  expect(await fail('oldest', 1)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('oldest', right)).toEqual({ kind: 'right' })
})

test('when every known address is blocked a new one must wait', async () => {
  const { limiter, fail } = setUp()
  for (let i = 0; i < signInLimits.addressesMax; i++) await fail(`ip-${i}`, 5)
  expect(await limiter.attempt('newcomer', right)).toEqual({ kind: 'limited', retryAfterSeconds: 60 })
})
