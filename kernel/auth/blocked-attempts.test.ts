import { expect, test } from 'vitest'
import { BlockedAttempts } from './blocked-attempts.ts'
import { signInLimits } from './rate-limit.ts'

function setUp() {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  const blocked = new BlockedAttempts(clock)
  const written = (client: string, times: number) =>
    Array.from({ length: times }, () => blocked.count(client)).filter((attempts) => attempts !== undefined)
  return { clock, written }
}

test("the first, tenth, hundredth and so on of a client's blocked attempts are logged", () => {
  const { written } = setUp()
  expect(written('a', 5000)).toEqual([1, 10, 100, 1000])
  expect(written('b', 9)).toEqual([1])
})

test('the count restarts when the block ends', () => {
  const { clock, written } = setUp()
  written('a', 50)
  clock.ms += signInLimits.blockMs
  expect(written('a', 50)).toEqual([100])
  clock.ms += 1
  expect(written('a', 5)).toEqual([1])
})

test('the number of counted clients is limited: the oldest is dropped', () => {
  const { written } = setUp()
  for (let n = 0; n <= signInLimits.addressesMax; n++) written(`client-${n}`, 2)
  expect(written('client-1', 1)).toEqual([])
  expect(written('client-0', 1)).toEqual([1])
})
