import { expect, test } from 'vitest'
import type { S3Role } from '../contract.ts'
import { authorize } from './authorize-policy.ts'

const user = (role: S3Role) => ({ accessKey: `key of ${role}`, role, createdAtMs: 0 })

test.each([
  ['anonymous', undefined, 's3:ListAllMyBuckets', undefined, 'anonymous'],
  ['anonymous', undefined, 's3:GetObject', null, 'anonymous'],
  ['a user', user('user'), 's3:ListAllMyBuckets', undefined, undefined],
  ['a user', user('user'), 's3:CreateBucket', undefined, 'role-may-not-create-buckets'],
  ['a userplus', user('userplus'), 's3:CreateBucket', undefined, undefined],
  ['an admin', user('admin'), 's3:CreateBucket', undefined, undefined],
  ['the owner', user('user'), 's3:PutObject', 'key of user', undefined],
  ['another user', user('userplus'), 's3:PutObject', 'key of user', 'not-the-owner'],
  ['another user', user('userplus'), 's3:ListBucket', null, 'not-the-owner'],
  ['an admin', user('admin'), 's3:DeleteObject', 'key of user', undefined],
  ['an admin', user('admin'), 's3:GetObject', null, undefined],
] as const)('%s (%o) requests %s in a bucket of %s: denial reason %s', (...[, caller, action, owner, reason]) => {
  expect(authorize(caller, action, owner)).toEqual(reason === undefined ? { allow: true } : { allow: false, reason })
})
