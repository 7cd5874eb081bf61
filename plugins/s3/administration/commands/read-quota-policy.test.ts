import { expect, test } from 'vitest'
import { readQuota } from './read-quota-policy.ts'

test.each([
  ['1000000', 1_000_000],
  ['2TB', 2e12],
  ['500GiB', 500 * 2 ** 30],
  ['1.5 gib', 1.5 * 2 ** 30],
  ['7B', 7],
  ['none', null],
])('the size %s is %s', (text, bytes) => {
  expect(readQuota({ bytes: text })).toEqual({ bytes })
})

test.each(['0', '-1', '1e3', '5X', '5iB', '', '1.5', 'default', '9PiB', '99999999999999999'])('the size "%s" is refused', (text) => {
  expect(() => readQuota({ bytes: text })).toThrow(`--bytes must be a size such as 500GiB, 2TB or 1000000, or none; not "${text}"`)
})

test('objects are a whole number or none, and absent flags change nothing', () => {
  expect(readQuota({})).toEqual({})
  expect([readQuota({ objects: '5' }), readQuota({ objects: 'none' })]).toEqual([{ objects: 5 }, { objects: null }])
  for (const text of ['0', '1.5', '5k', '']) expect(() => readQuota({ objects: text })).toThrow('--objects must be a whole number from 1')
})
