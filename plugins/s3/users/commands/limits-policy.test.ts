import { expect, test } from 'vitest'
import { readLimits } from './limits-policy.ts'

test('limits are numbers, none and default; absent flags change nothing', () => {
  expect(readLimits({})).toEqual({})
  const flags = { buckets: '5', objects: 'none', dataSetsPerDay: 'default', json: true }
  expect(readLimits(flags)).toEqual({
    buckets: 5,
    objects: 0,
    data_sets_per_day: null,
  })
})

test.each(['0', '-1', '1.5', '1e3', '', 'all', '9007199254740992'])('the limit "%s" is refused', (text) => {
  expect(() => readLimits({ bytes: text })).toThrow(`--bytes must be a whole number from 1, none or default, not "${text}"`)
})
