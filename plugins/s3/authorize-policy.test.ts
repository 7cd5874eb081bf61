import { expect, test } from 'vitest'
import { authorize } from './authorize-policy.ts'
import type { S3Role } from './contract.ts'

const user = (role: S3Role) => ({ accessKey: `key of ${role}`, role, createdAtMs: 0 })

test.each([
  ['anonymous', undefined, 'list-buckets', undefined, 'anonymous'],
  ['anonymous', undefined, 'read-object', null, 'anonymous'],
  ['a user', user('user'), 'list-buckets', undefined, undefined],
  ['a user', user('user'), 'create-bucket', undefined, 'role-may-not-create-buckets'],
  ['a userplus', user('userplus'), 'create-bucket', undefined, undefined],
  ['an admin', user('admin'), 'create-bucket', undefined, undefined],
  ['the owner', user('user'), 'write-object', 'key of user', undefined],
  ['another user', user('userplus'), 'write-object', 'key of user', 'not-the-owner'],
  ['another user', user('userplus'), 'read-bucket', null, 'not-the-owner'],
  ['an admin', user('admin'), 'delete-object', 'key of user', undefined],
  ['an admin', user('admin'), 'read-object', null, undefined],
] as const)('%s (%o) requests %s in a bucket of %s: denial reason %s', (...[, caller, action, owner, reason]) => {
  expect(authorize(caller, action, owner)).toEqual(reason === undefined ? { allow: true } : { allow: false, reason })
})
