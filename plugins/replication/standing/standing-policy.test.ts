import { expect, test } from 'vitest'
import { failuresApartMs, isConfirmed, nextCheckAtMs } from './standing-policy.ts'

const minute = 60_000
const nowMs = 1_000_000_000

test.each([
  ['the first failure', { failures: 0, firstFailedAtMs: null, deniedAtMs: null }, false],
  ['a second failure within ten minutes', { failures: 1, firstFailedAtMs: nowMs - failuresApartMs + 1, deniedAtMs: null }, false],
  ['one ten minutes after the first', { failures: 1, firstFailedAtMs: nowMs - failuresApartMs, deniedAtMs: null }, true],
  ['a failure of a denied copy', { failures: 9, firstFailedAtMs: 0, deniedAtMs: nowMs - 1 }, false],
] as const)('%s denies the copy: %s', (_what, doubt, confirmed) => {
  expect(isConfirmed(doubt, nowMs)).toBe(confirmed)
})

test('a doubt is looked at in each round until it is confirmed; then with growing pauses, which end at an hour where a look is free', () => {
  const pause = (isDenied: boolean, result: 'missing' | 'wrong_bytes', checks: number) =>
    (nextCheckAtMs({ isDenied, result, checks, nowMs }) - nowMs) / minute
  expect([pause(false, 'missing', 0), pause(false, 'wrong_bytes', 0)]).toEqual([0, 0])
  expect([0, 1, 2, 5, 6, 50].map((checks) => pause(true, 'missing', checks))).toEqual([1, 2, 4, 32, 60, 60])
  expect([0, 10, 11, 50].map((checks) => pause(true, 'wrong_bytes', checks))).toEqual([1, 1024, 1440, 1440])
})
