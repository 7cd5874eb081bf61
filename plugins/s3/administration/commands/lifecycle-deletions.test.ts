import { expect, test } from 'vitest'
import { newDeletions } from './lifecycle-deletions.ts'

const stored = [
  { id: 'a', enabled: true, expire_days: 30 },
  { id: 'b', enabled: false, noncurrent_days: 7 },
]

test.each([
  [{ id: 'a', enabled: true, expire_days: 30 }, false],
  [{ expire_days: 30, enabled: true, id: 'a' }, false],
  [{ id: 'a', enabled: true, expire_days: 29 }, true],
  [{ id: 'a', enabled: true, prefix: 'logs/', expire_days: 30 }, true],
  [{ id: 'b', enabled: true, noncurrent_days: 7 }, true],
  [{ id: 'b', enabled: false, noncurrent_days: 1 }, false],
  [{ enabled: true, expire_date: '2030-01-01' }, true],
  [{ enabled: true, abort_upload_days: 1 }, true],
  [{ enabled: true, remove_expired_markers: true as const }, false],
])('%j deletes data that the stored rules do not delete: %s', (rule, isNew) => {
  expect(newDeletions([rule], stored)).toEqual(isNew ? [rule] : [])
})
