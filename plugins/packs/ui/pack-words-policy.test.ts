import { expect, test } from 'vitest'
import { eraseText, isFilled, livingPercent, paysToCompact, wordOf } from './pack-words-policy.ts'

test.each([
  [{ size: 1000, living_bytes: 800, dead_bytes: 0 }, 100],
  [{ size: 1000, living_bytes: 900, dead_bytes: 1 }, 99],
  [{ size: 1000, living_bytes: 300, dead_bytes: 600 }, 33],
  [{ size: 0, living_bytes: 0, dead_bytes: 0 }, 100],
])('a pack of %j has %s percent living bytes', (pack, percent) => {
  expect(livingPercent(pack)).toBe(percent)
})

test('a compaction pays when it saves more than its fees', () => {
  expect(paysToCompact({ compaction: { fees: '10', saved: '11', months: 12 } })).toBe(true)
  expect(paysToCompact({ compaction: { fees: '10', saved: '10', months: 12 } })).toBe(false)
  expect(paysToCompact({})).toBeUndefined()
  expect(wordOf({ state: 'lost' })).toEqual(['danger', 'Lost'])
})

test.each([
  [0, 'When that pays'],
  [1, 'Within 1 day'],
  [30, 'Within 30 days'],
] as const)('with %i days, deleted bytes are erased %s', (days, text) => {
  expect(eraseText(days)).toBe(text)
})

test('a pack without members is not filled', () => {
  expect([isFilled({ members: 0 }), isFilled({ members: 1 })]).toEqual([false, true])
})
