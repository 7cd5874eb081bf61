import { expect, test } from 'vitest'
import { deleteUser } from './user-api.ts'

test('an access key with a NUL character is refused, because PostgreSQL cannot look it up', () => {
  expect(deleteUser.params?.allows({ accessKey: 'a b' })).toBe(true)
  expect(deleteUser.params?.allows({ accessKey: 'a\0b' })).toBe(false)
})
