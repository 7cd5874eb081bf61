import { describe, expect, test } from 'vitest'
import { accountLimits } from './account-budget.ts'
import { type Attempt, SignInLimiter, signInLimits } from './rate-limit.ts'

const right = async () => 'right' as const
const wrong = async () => 'wrong' as const
const remembered = async () => 'remembered' as const

function setUp() {
  const sleeps: number[] = []
  const clock = { ms: 1_000_000, now: () => clock.ms, sleep: async (ms: number) => void sleeps.push(ms) }
  const blocked: string[] = []
  const limiter = new SignInLimiter(clock, (address) => blocked.push(address))
  const fail = async (address: string, times: number): Promise<Attempt | undefined> => {
    let last: Attempt | undefined
    for (let i = 0; i < times; i++) last = await limiter.attempt(address, wrong)
    return last
  }
  return { clock, limiter, fail, sleeps, blocked }
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

test('other addresses are not affected, and a success resets the count', async () => {
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

test('failures expire ten minutes after the last attempt', async () => {
  const { clock, limiter, fail } = setUp()
  await fail('a', 4)
  clock.ms += signInLimits.memoryMs + 1
  expect(await fail('a', 4)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('a', right)).toEqual({ kind: 'right' })
})

test('concurrent guesses are checked one after another, so only five are verified', async () => {
  const { limiter } = setUp()
  let verified = 0
  let together = 0
  const slowly = async () => {
    verified++
    expect(++together).toBe(1)
    await new Promise(setImmediate)
    together--
    return 'wrong' as const
  }
  const attempts = await Promise.all(Array.from({ length: 20 }, () => limiter.attempt('a', slowly)))
  expect(verified).toBe(5)
  expect(attempts.filter(({ kind }) => kind === 'limited')).toHaveLength(15)
})

test('attempts of one address beyond the queue limit are refused immediately', async () => {
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

test('a full table drops the oldest address that is not blocked', async () => {
  const { limiter, fail } = setUp()
  await fail('oldest', 4)
  for (let i = 1; i < signInLimits.addressesMax; i++) await limiter.attempt(`ip-${i}`, wrong)
  await limiter.attempt('newcomer', wrong)
  expect(await fail('oldest', 1)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('oldest', right)).toEqual({ kind: 'right' })
})

test('when every address in the table is blocked, a new address is refused', async () => {
  const { limiter, fail } = setUp()
  for (let i = 0; i < signInLimits.addressesMax; i++) await fail(`ip-${i}`, 5)
  expect(await limiter.attempt('newcomer', right)).toEqual({ kind: 'limited', retryAfterSeconds: 60 })
})

test('a success from the credential cache does not reset the failures of its address', async () => {
  const { limiter, fail } = setUp()
  await fail('a', 4)
  expect(await limiter.attempt('a', remembered)).toEqual({ kind: 'right' })
  expect(await fail('a', 1)).toEqual({ kind: 'wrong' })
  expect(await limiter.attempt('a', right)).toMatchObject({ kind: 'limited' })
})

test('each block is announced once, with its address', async () => {
  const { clock, limiter, fail, blocked } = setUp()
  await fail('a', 5)
  await limiter.attempt('a', wrong)
  expect(blocked).toEqual(['a'])
  clock.ms += signInLimits.blockMs + 1
  await fail('a', 5)
  expect(blocked).toEqual(['a', 'a'])
})

describe('guesses from many addresses', () => {
  const guessFromMany = async (limiter: SignInLimiter, times: number) => {
    for (let n = 0; n < times; n++) await limiter.attempt(`guesser-${n}`, wrong)
  }

  test('delay the answers of every address by a few seconds at most, and lock out none', async () => {
    const { limiter, sleeps } = setUp()
    await guessFromMany(limiter, accountLimits.failuresFree)
    expect(sleeps).toEqual([])
    await guessFromMany(limiter, 100)
    expect(await limiter.attempt('operator', right)).toEqual({ kind: 'right' })
    expect(sleeps.at(-1)).toBe(accountLimits.delayMsMax)
    expect(Math.max(...sleeps)).toBe(accountLimits.delayMsMax)
  })

  test('are delayed whether they are right or wrong, and a success does not shorten the delay', async () => {
    const { limiter, sleeps } = setUp()
    await guessFromMany(limiter, accountLimits.failuresFree + 7)
    sleeps.length = 0
    await limiter.attempt('operator', right)
    await limiter.attempt('guesser', right)
    expect(sleeps).toEqual([700, 700])
  })

  test('do not delay the refusal of an address that is blocked', async () => {
    const { limiter, sleeps, fail } = setUp()
    await guessFromMany(limiter, accountLimits.failuresFree + 7)
    await fail('a', 5)
    sleeps.length = 0
    expect(await limiter.attempt('a', right)).toMatchObject({ kind: 'limited' })
    expect(sleeps).toEqual([])
  })

  test('are delayed in parallel: the delays of one address do not add up', async () => {
    const waiting: (() => void)[] = []
    const clock = { now: () => 0, sleep: () => new Promise<void>((resolve) => void waiting.push(resolve)) }
    const limiter = new SignInLimiter(clock)
    await guessFromMany(limiter, accountLimits.failuresFree)
    const extra = limiter.attempt('one-more', wrong)
    await extra
    const attempts = [1, 2, 3].map(() => limiter.attempt('a', right))
    expect(waiting).toHaveLength(3)
    for (const wake of waiting) wake()
    expect(await Promise.all(attempts)).toEqual([{ kind: 'right' }, { kind: 'right' }, { kind: 'right' }])
  })
})
