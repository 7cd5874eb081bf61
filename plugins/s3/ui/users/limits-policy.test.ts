import { expect, test } from 'vitest'
import { type LimitTexts, readLimits, writeLimits } from './limits-policy.ts'

const empty: LimitTexts = { buckets: '', objects: '', bytes: '', data_sets_per_day: '' }
const inherited = { buckets: null, objects: null, bytes: null, data_sets_per_day: null }

test('an empty field is the limit of the settings, none is no limit, and bytes are GiB', () => {
  expect(readLimits(empty)).toEqual(inherited)
  expect(readLimits({ buckets: ' 5 ', objects: 'none', bytes: '0.5', data_sets_per_day: '1' })).toEqual({
    buckets: 5,
    objects: 0,
    bytes: 2 ** 29,
    data_sets_per_day: 1,
  })
})

test.each(['0', '-1', '1.5', 'all', '1e3', '9007199254740992'])('the limit "%s" is refused', (text) => {
  expect(readLimits({ ...empty, objects: text })).toBeUndefined()
})

test('only own limits are in the form, and they read back as they are', () => {
  const limits = { buckets: 1000, objects: null, bytes: 1_000_000_001, data_sets_per_day: 300 }
  const texts = writeLimits({ limits, own_limits: ['objects', 'bytes'] })
  expect(texts).toMatchObject({ buckets: '', objects: 'none', data_sets_per_day: '' })
  expect(readLimits(texts)).toEqual({ ...inherited, objects: 0, bytes: 1_000_000_001 })
})
