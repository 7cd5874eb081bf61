import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MeasuredKind } from '../contract/providers.ts'
import { addMeasures, type MeasuredCall, type Measures, measuresOf, toScore } from './measure-policy.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const mib = 1024 * 1024
const upload = (bytes: number, ms: number, atMs = 0): MeasuredCall => ({ kind: 'upload', atMs, transfer: { bytes, ms } })
const failure = (atMs = 0): MeasuredCall => ({ kind: 'upload', atMs, failure: { call: 'upload', reason: 'timeout' } })
const sum = (calls: readonly MeasuredCall[]) => calls.map(measuresOf).reduce<Measures | undefined>(addMeasures, undefined) as Measures
const score = (calls: readonly MeasuredCall[], nowMs = 0) => toScore(new Map([['upload' as MeasuredKind, sum(calls)]]), nowMs)

test('the rate is that of recent transfers, and small ones have none', () => {
  expect(score([upload(10 * mib, 1000)])?.upload?.bytesPerSecond).toBe(10 * mib)
  expect(score([upload(4096, 1)])?.upload).toMatchObject({ calls: 1, bytesPerSecond: undefined })
  const slower = score([
    ...Array.from({ length: 20 }, () => upload(10 * mib, 1000)),
    ...Array.from({ length: 20 }, () => upload(mib, 1000, 4 * dayMs)),
  ])
  expect((slower?.upload?.bytesPerSecond ?? 0) / mib).toBeLessThan(2)
})

test('a provider fails when too many recent calls do, and no longer when they are old', () => {
  const calls = [...Array.from({ length: 3 }, () => upload(mib, 100)), ...Array.from({ length: 3 }, () => failure())]
  expect(score(calls)).toMatchObject({ isFailing: true, calls: 6, failed: 3, lastFailure: { call: 'upload', reason: 'timeout' } })
  expect(score(calls, dayMs)?.isFailing).toBe(false)
  expect(score([failure()])?.isFailing).toBe(false)
  expect(score([upload(mib, 1)])?.successShare).toBe(1)
})

test('the sum does not depend on how the calls were gathered, and stays finite, also when the clock steps back', () => {
  const calls = fc.array(
    fc.record({
      bytes: fc.nat(2 ** 40),
      ms: fc.double({ min: 0, max: 1e9, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 400 * dayMs }),
      fails: fc.boolean(),
    }),
    { minLength: 2, maxLength: 20 },
  )
  fc.assert(
    fc.property(calls, fc.nat(18), (drawn, cut) => {
      const all = drawn.map(({ bytes, ms, atMs, fails }) => (fails ? failure(atMs) : upload(bytes, ms, atMs)))
      const at = 1 + (cut % (all.length - 1))
      const [whole, parts] = [sum(all), addMeasures(sum(all.slice(0, at)), sum(all.slice(at)))]
      expect([parts.calls, parts.failed, parts.lastAtMs]).toEqual([whole.calls, whole.failed, whole.lastAtMs])
      for (const member of ['weight', 'okWeight', 'bytes', 'ms'] as const) {
        expect(Math.abs(parts[member] - whole[member])).toBeLessThanOrEqual(1e-6 * Math.max(1, whole[member]))
        expect(Number.isFinite(whole[member])).toBe(true)
      }
    }),
  )
})
