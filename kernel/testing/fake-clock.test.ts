import { expect, test } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

test('sleeps end in the order of their times, each at its own time', async () => {
  const clock = createFakeClock(1000)
  const ends: [string, number][] = []
  const sleeper = async (name: string, ms: number) => {
    await clock.sleep(ms)
    ends.push([name, clock.now()])
  }
  const all = [sleeper('late', 300), sleeper('early', 100), sleeper('same', 300)]
  await clock.advance(299)
  expect(ends).toEqual([['early', 1100]])
  await clock.advance(1)
  await Promise.all(all)
  expect(ends).toEqual([
    ['early', 1100],
    ['late', 1300],
    ['same', 1300],
  ])
})

test('a sleep that begins during an advance can end in the same advance', async () => {
  const clock = createFakeClock(0)
  const ticks: number[] = []
  const loop = async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10)
      ticks.push(clock.now())
    }
  }
  const looped = loop()
  await clock.advance(100)
  await looped
  expect(ticks).toEqual([10, 20, 30])
  expect(clock.now()).toBe(100)
})

test('an aborted sleep rejects with the reason and does not end later', async () => {
  const clock = createFakeClock(0)
  const stop = new AbortController()
  const slept = clock.sleep(10, stop.signal)
  stop.abort(new Error('enough'))
  await expect(slept).rejects.toThrow('enough')
  await expect(clock.sleep(10, stop.signal)).rejects.toThrow('enough')
  await clock.advance(20)
  expect(clock.now()).toBe(20)
})

test('a sleep of 0 ms ends without advancing the clock', async () => {
  const clock = createFakeClock(5)
  await clock.sleep(0)
  expect(clock.now()).toBe(5)
})
