import { expect, test } from 'vitest'
import { livingPercent, paysToCompact, wordOf } from './pack-words-policy.ts'

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
