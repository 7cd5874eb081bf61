import { expect, test } from 'vitest'
import { changeLimits, deleteUser } from './user-api.ts'

test('an access key with a NUL character is refused, because PostgreSQL cannot look it up', () => {
  expect(deleteUser.params?.allows({ accessKey: 'a b' })).toBe(true)
  expect(deleteUser.params?.allows({ accessKey: 'a\0b' })).toBe(false)
})

test.each([-1, 1.5, 2 ** 53, '3'])('the limit %s is refused by a text that says how to have no limit', (objects) => {
  expect(String(changeLimits.body?.({ objects }))).toContain('objects must be a whole number below 2^53 (0: no limit) or null (was ')
  expect([0, 1, 2 ** 53 - 1, null].map((value) => changeLimits.body?.allows({ objects: value }))).toEqual([true, true, true, true])
})
