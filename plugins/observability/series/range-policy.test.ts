import { expect, test } from 'vitest'
import { chooseRange, readAgo } from './range-policy.ts'

const nowMs = Date.UTC(2026, 0, 31, 12, 0, 10)
const hour = 3_600_000
const choose = (fromMs: number, step: number) => chooseRange({ fromMs, stepMs: step * 1000, nowMs })

test('an hour in steps of 20 seconds ends with the last step that was measured', () => {
  const range = choose(nowMs - hour, 20)
  expect(range).toEqual({ ring: 'fine', perStep: 1, first: Math.floor((nowMs - hour) / 20_000), count: 180 })
})

test('a day in steps of five minutes includes the one that runs', () => {
  expect(choose(nowMs - 24 * hour, 300)).toMatchObject({ ring: 'fine', perStep: 15, count: 288 })
})

test('90 days in days include the present one', () => {
  expect(choose(nowMs - 90 * 24 * hour, 86_400)).toMatchObject({ ring: 'hours', perStep: 24, count: 91 })
})

test('a step that has just ended is not shown as a gap while it is measured', () => {
  const early = chooseRange({ fromMs: nowMs - hour, stepMs: 20_000, nowMs: Date.UTC(2026, 0, 31, 12, 0, 1) })
  const late = chooseRange({ fromMs: nowMs - hour, stepMs: 20_000, nowMs: Date.UTC(2026, 0, 31, 12, 0, 7) })
  expect([early, late].map((range) => typeof range === 'object' && range.count)).toEqual([179, 180])
})

test.each([
  ['a step between', nowMs - hour, 30, 'multiple of 20 seconds'],
  ['the future', nowMs + 1, 20, 'in the future'],
  ['more than a day in short steps', nowMs - 25 * hour, 20, 'multiple of 3600'],
  ['more than 90 days', nowMs - 92 * 24 * hour, 3600, '90 days'],
])('%s is refused', (_, fromMs, step, why) => {
  expect(choose(fromMs, step)).toContain(why)
})

test.each([
  ['-90m', 5_400_000],
  ['-24h', 86_400_000],
  ['-20s', 20_000],
  ['-90d', 7_776_000_000],
])('%s is %d ms ago', (text, ms) => {
  expect(readAgo(text, nowMs)).toBe(nowMs - ms)
})

test.each(['24h', '-h', '-1y', '2026-01-31T12:00:00Z', '-999999d', ''])('%j is no time ago', (text) => {
  expect(readAgo(text, nowMs)).toBeUndefined()
})
