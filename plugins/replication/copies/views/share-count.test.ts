import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { shareCount } from './share-count.ts'

test('concurrent callers share one count, and it is renewed after a second', async () => {
  const clock = createFakeClock(0)
  let counts = 0
  const getCount = shareCount(clock, async () => ++counts)
  expect(await Promise.all([getCount(), getCount()])).toEqual([1, 1])
  expect(await getCount()).toBe(1)
  await clock.advance(1000)
  expect(await getCount()).toBe(2)
})

test('a slow count is kept longer', async () => {
  const clock = createFakeClock(0)
  let counts = 0
  const getCount = shareCount(clock, async () => {
    await clock.advance(1000)
    return ++counts
  })
  expect(await getCount()).toBe(1)
  await clock.advance(8000)
  expect(await getCount()).toBe(1)
  await clock.advance(1000)
  expect(await getCount()).toBe(2)
})

test('a failed count is reported, and retried after a second', async () => {
  const clock = createFakeClock(0)
  let isBroken = true
  const getCount = shareCount(clock, async () => {
    if (isBroken) throw new Error('no answer')
    return 7
  })
  await expect(getCount()).rejects.toThrow('no answer')
  isBroken = false
  await clock.advance(1000)
  expect(await getCount()).toBe(7)
})
