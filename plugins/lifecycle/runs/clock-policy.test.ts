import { expect, test } from 'vitest'
import { type SeenClock, seeClock } from './clock-policy.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 0, 1)

/** Sees the clock at these times after the start; returns the hours for which rules still rest at each. */
function rests(...hours: readonly number[]): number[] {
  let seen: SeenClock | undefined
  return hours.map((hour) => {
    const nowMs = start + hour * hourMs
    seen = seeClock(seen, nowMs)
    return Math.max(0, (seen.restsUntilMs - nowMs) / hourMs)
  })
}

test('a clock that is seen every few minutes is believed, from the first time on', () => {
  expect(rests(0, 1, 2, 3.5, 5, 7)).toEqual([0, 0, 0, 0, 0, 0])
})

test('after a clock was set ahead by a year, rules rest for a day, in which it can be corrected', () => {
  expect(rests(0, 8760, 8761, 8783, 8784)).toEqual([0, 24, 23, 1, 0])
  expect(rests(0, 8760, 1, 2)).toEqual([0, 24, 0, 0])
})

test('after a night without svc, rules rest for an hour, and a machine that is off every night still carries them out', () => {
  expect(rests(0, 14, 14.5, 15, 24, 38, 39)).toEqual([0, 1, 0.5, 0, 1, 1, 0])
})

test('a second step does not shorten the rest of a first one', () => {
  expect(rests(0, 100, 103)).toEqual([0, 24, 21])
  expect(rests(0, 100, 250)).toEqual([0, 24, 24])
  expect(start % dayMs).toBe(0)
})
