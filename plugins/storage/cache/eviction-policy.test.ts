import { expect, test } from 'vitest'
import { crossesHigh, type EvictionRules, enoughOf, evictionRules, type Room, targetBytes } from './eviction-policy.ts'

const lru = evictionRules('lru', { maxBytes: 1000, highPercent: 90, lowPercent: 80 })
const tight = evictionRules('lru', { maxBytes: 1000, highPercent: 1, lowPercent: 0 })
const afterUpload = evictionRules('after_upload', { maxBytes: 1000, highPercent: 0, lowPercent: 90 })
const none = evictionRules('none', { maxBytes: 1000, highPercent: 90, lowPercent: 80 })

test('watermarks are percents of the capacity, under lru alone', () => {
  expect(lru).toEqual({ policy: 'lru', highBytes: 900, lowBytes: 800 })
  expect(evictionRules('lru', { maxBytes: 2 ** 30, highPercent: 1, lowPercent: 0 })).toMatchObject({ highBytes: 10_737_418, lowBytes: 0 })
  expect(afterUpload).toEqual({ policy: 'after_upload' })
  expect(none).toEqual({ policy: 'none' })
})

interface Case extends Partial<Room> {
  readonly rules: EvictionRules
  readonly target: number | undefined
}

test.each<[string, Case]>([
  ['lru below its high mark: nothing goes', { rules: lru, usedBytes: 899, target: undefined }],
  ['lru at its high mark: down to the low one', { rules: lru, usedBytes: 900, target: 800 }],
  ['lru above everything, the capacity was lowered', { rules: lru, usedBytes: 5000, target: 800 }],
  ['lru with a low mark of nothing', { rules: tight, usedBytes: 10, target: 0 }],
  ['lru far below its mark, but a body did not fit: it fits then', { rules: lru, usedBytes: 600, refusedBytes: 500, target: 500 }],
  ['lru when a refused body is small: down to the low mark', { rules: lru, usedBytes: 890, refusedBytes: 150, target: 800 }],
  ['lru when the refused body fits by now: nothing goes', { rules: lru, usedBytes: 500, refusedBytes: 500, target: undefined }],
  ['lru when bodies under way hold room', { rules: lru, usedBytes: 600, refusedBytes: 300, reservedBytes: 250, target: 450 }],
  ['lru when the refused body needs everything', { rules: lru, usedBytes: 600, refusedBytes: 900, reservedBytes: 250, target: 0 }],
  ['lru between the marks, once begun: goes on to the low one', { rules: lru, usedBytes: 850, isUnderWay: true, target: 800 }],
  ['after_upload: everything that may go', { rules: afterUpload, usedBytes: 1, target: 0 }],
  ['none: nothing, however full', { rules: none, usedBytes: 1000, refusedBytes: 1000, target: undefined }],
])('%s', (_what, { rules, target, ...room }) => {
  expect(targetBytes(rules, { maxBytes: 1000, usedBytes: 0, reservedBytes: 0, refusedBytes: 0, isUnderWay: false, ...room })).toBe(target)
})

test.each([
  [lru, 899, 900, true],
  [lru, 899, 1000, true],
  [lru, 900, 901, false],
  [lru, 100, 899, false],
  [afterUpload, 0, 1000, false],
  [none, 0, 1000, false],
])('%o from %d to %d bytes crosses the high mark: %s', (rules, before, after, crosses) => {
  expect(crossesHigh(rules, before, after)).toBe(crosses)
})

test.each([
  [1, [40]],
  [40, [40]],
  [41, [40, 40]],
  [1000, [40, 40, 40]],
])('to free %d bytes, %j go of three', (bytes, chosen) => {
  const candidates = [{ bytes: 40 }, { bytes: 40 }, { bytes: 40 }]
  expect(enoughOf(candidates, bytes).map((candidate) => candidate.bytes)).toEqual(chosen)
})

test('of no candidates none is chosen', () => {
  expect(enoughOf([], 1)).toEqual([])
})
