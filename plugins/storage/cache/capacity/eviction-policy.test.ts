import { expect, test } from 'vitest'
import { type CacheUsage, crossesHighWatermark, type EvictionRules, evictionRules, selectToFree, targetBytes } from './eviction-policy.ts'

const lru = evictionRules('lru', { maxBytes: 1000, highPercent: 90, lowPercent: 80 })
const tight = evictionRules('lru', { maxBytes: 1000, highPercent: 1, lowPercent: 0 })
const afterUpload = evictionRules('after_upload', { maxBytes: 1000, highPercent: 0, lowPercent: 90 })
const none = evictionRules('none', { maxBytes: 1000, highPercent: 90, lowPercent: 80 })

test('watermarks are percentages of the capacity, and exist only under lru', () => {
  expect(lru).toEqual({ policy: 'lru', highBytes: 900, lowBytes: 800 })
  expect(evictionRules('lru', { maxBytes: 2 ** 30, highPercent: 1, lowPercent: 0 })).toMatchObject({ highBytes: 10_737_418, lowBytes: 0 })
  expect(afterUpload).toEqual({ policy: 'after_upload' })
  expect(none).toEqual({ policy: 'none' })
})

interface Case extends Partial<CacheUsage> {
  readonly rules: EvictionRules
  readonly target: number | undefined
}

test.each<[string, Case]>([
  ['lru below the high watermark: no eviction', { rules: lru, usedBytes: 899, target: undefined }],
  ['lru at the high watermark: down to the low one', { rules: lru, usedBytes: 900, target: 800 }],
  ['lru above a lowered capacity: down to the low watermark', { rules: lru, usedBytes: 5000, target: 800 }],
  ['lru with a low watermark of 0: down to 0', { rules: tight, usedBytes: 10, target: 0 }],
  [
    'lru far below the high watermark after a refused body: until the body fits',
    { rules: lru, usedBytes: 600, refusedBytes: 500, target: 500 },
  ],
  ['lru after a small refused body: down to the low watermark', { rules: lru, usedBytes: 890, refusedBytes: 150, target: 800 }],
  ['lru when the refused body now fits: no eviction', { rules: lru, usedBytes: 500, refusedBytes: 500, target: undefined }],
  [
    'lru with reservations of running uploads: the refused body fits beside them',
    { rules: lru, usedBytes: 600, refusedBytes: 300, reservedBytes: 250, target: 450 },
  ],
  [
    'lru when the refused body needs the whole cache: down to 0',
    { rules: lru, usedBytes: 600, refusedBytes: 900, reservedBytes: 250, target: 0 },
  ],
  [
    'lru between the watermarks after an unfinished pass: down to the low one',
    { rules: lru, usedBytes: 850, isUnfinished: true, target: 800 },
  ],
  ['after_upload: everything releasable', { rules: afterUpload, usedBytes: 1, target: 0 }],
  ['none: no eviction, even when full', { rules: none, usedBytes: 1000, refusedBytes: 1000, target: undefined }],
])('%s', (_what, { rules, target, ...usage }) => {
  expect(targetBytes(rules, { maxBytes: 1000, usedBytes: 0, reservedBytes: 0, refusedBytes: 0, isUnfinished: false, ...usage })).toBe(
    target,
  )
})

test.each([
  [lru, 899, 900, true],
  [lru, 899, 1000, true],
  [lru, 900, 901, false],
  [lru, 100, 899, false],
  [afterUpload, 0, 1000, false],
  [none, 0, 1000, false],
])('%o from %d to %d bytes crosses the high watermark: %s', (rules, before, after, crosses) => {
  expect(crossesHighWatermark(rules, before, after)).toBe(crosses)
})

test.each([
  [1, [40]],
  [40, [40]],
  [41, [40, 40]],
  [1000, [40, 40, 40]],
])('to free %d bytes of three contents, %j are selected', (bytes, chosen) => {
  const candidates = [{ bytes: 40 }, { bytes: 40 }, { bytes: 40 }]
  expect(selectToFree(candidates, bytes).map((candidate) => candidate.bytes)).toEqual(chosen)
})

test('without candidates none is selected', () => {
  expect(selectToFree([], 1)).toEqual([])
})
