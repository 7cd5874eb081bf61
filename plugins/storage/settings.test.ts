import { expect, test } from 'vitest'
import { cacheSection } from './settings.ts'

const values = {
  dir: '/cache',
  max_size_gb: 1,
  eviction_policy: 'lru',
  lru_high_watermark_percent: 90,
  lru_low_watermark_percent: 80,
} as const

const check = (low: number, high: number, eviction_policy = 'lru') =>
  cacheSection.check({ ...values, eviction_policy, lru_low_watermark_percent: low, lru_high_watermark_percent: high } as never)

test('under lru the low watermark must be below the high one', () => {
  expect(check(80, 90)).toEqual([])
  expect(check(0, 1)).toEqual([])
  expect(check(90, 90)).toEqual([{ key: 'lru_low_watermark_percent', message: 'must be below lru_high_watermark_percent (90)' }])
})

test.each(['after_upload', 'none'])('under %s the watermarks are not looked at', (policy) => {
  expect(check(90, 80, policy)).toEqual([])
})
