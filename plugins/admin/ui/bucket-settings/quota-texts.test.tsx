import { expect, test } from 'vitest'
import { readQuota, writeQuota } from './quota-texts.ts'

test.each([
  [
    { objects: '', gib: ' ' },
    { objects: null, bytes: null },
  ],
  [
    { objects: '1000', gib: '0.5' },
    { objects: 1000, bytes: 2 ** 29 },
  ],
  [
    { objects: ' 1 ', gib: '500' },
    { objects: 1, bytes: 500 * 2 ** 30 },
  ],
])('%j is %j', (texts, quota) => {
  expect(readQuota(texts)).toEqual(quota)
})

test.each([{ objects: '0' }, { objects: '1.5' }, { objects: 'all' }, { gib: '0' }, { gib: '-1' }, { gib: '1e3' }, { gib: '9000000' }])(
  '%j is refused',
  (texts) => {
    expect(readQuota({ objects: '', gib: '', ...texts })).toBeUndefined()
  },
)

test.each([1, 1_000_000_000, 2 ** 40, Number.MAX_SAFE_INTEGER])('a quota of %d bytes stays the same in the form', (bytes) => {
  expect(readQuota(writeQuota({ objects: null, bytes }))).toEqual({ objects: null, bytes })
})
