import { expect, test } from 'vitest'
import { decideSeal, describeWait } from './seal-policy.ts'

const limits = { bytes: 1000, members: 10, waitMs: 600, idleMs: 60 }
const waiting = { contents: 3, bytes: 300, oldestMs: 0, newestMs: 100 }
const decide = (change: Partial<Parameters<typeof decideSeal>[0]>) =>
  decideSeal({ sum: waiting, limits, nowMs: 110, isPressed: false, isAsked: false, ...change })

test.each([
  ['nothing waits', { sum: { contents: 0, bytes: 0, oldestMs: undefined, newestMs: undefined } }, { kind: 'nothing' }],
  ['until the idle time', {}, { kind: 'wait', untilMs: 160 }],
  ['until the longest wait', { sum: { ...waiting, newestMs: 590 }, nowMs: 595 }, { kind: 'wait', untilMs: 600 }],
  ['idle', { nowMs: 160 }, { kind: 'seal', reason: 'idle' }],
  ['the first waited', { sum: { ...waiting, newestMs: 599 }, nowMs: 600 }, { kind: 'seal', reason: 'waited' }],
  ['bytes', { sum: { ...waiting, bytes: 1000 } }, { kind: 'seal', reason: 'full' }],
  ['members', { sum: { ...waiting, contents: 10 } }, { kind: 'seal', reason: 'full' }],
  ['asked', { isAsked: true }, { kind: 'seal', reason: 'asked' }],
  ['a replica moves', { limits: { ...limits, isStopping: true } }, { kind: 'seal', reason: 'stop' }],
  ['a replica moves, and the first just came', { limits: { ...limits, isStopping: true }, nowMs: 50 }, { kind: 'wait', untilMs: 60 }],
  ['pressure', { isPressed: true }, { kind: 'seal', reason: 'pressure' }],
  // Each object of a busy client would be a pack of its own otherwise.
  ['pressure, and the first just came', { isPressed: true, nowMs: 5 }, { kind: 'wait', untilMs: 6 }],
  ['after the clock stepped back', { nowMs: -5000 }, { kind: 'wait', untilMs: -4940 }],
])('%s', (_name, change, verdict) => {
  expect(decide(change)).toEqual(verdict)
})

test.each([
  [{ bytes: 37.5 * 2 ** 20, oldestMs: 0 }, 120_000, 'waits for its pack, 37 of 256 MiB, at most 8 min'],
  [{ bytes: 1, oldestMs: 0 }, 590_500, 'waits for its pack, 0 of 256 MiB, at most 10 s'],
  [{ bytes: 1, oldestMs: 0 }, 700_000, 'waits for its pack, 0 of 256 MiB, at most 0 s'],
])('an object that waits says for how long', (sum, nowMs, text) => {
  expect(describeWait({ contents: 1, newestMs: 0, ...sum }, { bytes: 256 * 2 ** 20, waitMs: 600_000 }, nowMs)).toBe(text)
})
