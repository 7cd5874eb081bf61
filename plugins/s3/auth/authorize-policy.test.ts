import { describe, expect, test } from 'vitest'
import { type BucketAccess, rulesOf } from '../access/access-rules-policy.ts'
import type { S3Role } from '../contract.ts'
import type { AccessList } from '../wire/access-list-policy.ts'
import type { S3Action } from './actions.ts'
import { authorize, authorizeObject } from './authorize-policy.ts'

const user = (role: S3Role, ownerId = `id of ${role}`) => ({ accessKey: `key of ${role}`, ownerId, role, createdAtMs: 0 })
const open = { default_object_ownership: 'BucketOwnerPreferred', public_access: true } as const
const bucketOf = (owner: string, access: BucketAccess = {}, defaults: Parameters<typeof rulesOf>[2] = open) =>
  rulesOf({ owner }, access, defaults)

test.each([
  ['anonymous', undefined, 's3:ListAllMyBuckets', undefined, 'anonymous'],
  ['anonymous', undefined, 's3:PutObject', 'root', 'anonymous'],
  ['a user', user('user'), 's3:ListAllMyBuckets', undefined, undefined],
  ['a user', user('user'), 's3:CreateBucket', undefined, 'role-may-not-create-buckets'],
  ['a userplus', user('userplus'), 's3:CreateBucket', undefined, undefined],
  ['an admin', user('admin'), 's3:CreateBucket', undefined, undefined],
  ['the owner', user('user'), 's3:PutObject', 'id of user', undefined],
  ['another user', user('userplus'), 's3:PutObject', 'id of user', 'not-allowed'],
  ['another user', user('userplus'), 's3:ListBucket', 'root', 'not-allowed'],
  ['an admin', user('admin'), 's3:DeleteObject', 'id of user', undefined],
  ['an admin', user('admin'), 's3:GetObject', 'root', undefined],
] as const)('%s (%o) requests %s in a bucket of %s: denial reason %s', (...[, caller, action, owner, reason]) => {
  const bucket = owner === undefined ? undefined : bucketOf(owner)
  expect(authorize(caller, action, bucket)).toEqual(reason === undefined ? { allow: true } : { allow: false, reason })
})

const everyAction = [
  's3:ListBucket',
  's3:ListBucketVersions',
  's3:ListBucketMultipartUploads',
  's3:PutObject',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
  's3:ListMultipartUploadParts',
  's3:AbortMultipartUpload',
  's3:GetBucketAcl',
  's3:PutBucketAcl',
  's3:GetBucketPolicyStatus',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketOwnershipControls',
  's3:PutBucketCORS',
  's3:GetBucketTagging',
  's3:GetObjectTagging',
  's3:PutObjectTagging',
  's3:GetObjectAttributes',
  's3:DeleteBucket',
] as const satisfies readonly S3Action[]

const reads = ['s3:ListBucket', 's3:ListBucketVersions', 's3:ListBucketMultipartUploads'] as const
const writes = ['s3:PutObject', 's3:DeleteObject', 's3:ListMultipartUploadParts', 's3:AbortMultipartUpload'] as const

describe('the list of a bucket', () => {
  test.each([
    ['READ', reads],
    ['WRITE', writes],
    ['READ_ACP', ['s3:GetBucketAcl']],
    ['WRITE_ACP', ['s3:PutBucketAcl']],
    ['FULL_CONTROL', [...reads, ...writes, 's3:GetBucketAcl', 's3:PutBucketAcl']],
  ] as const)('gives with %s exactly the actions %o', (permission, actions) => {
    const bucket = bucketOf('the owner', { grants: [{ grantee: 'everyone', permission }] })
    for (const caller of [undefined, user('user')]) {
      expect(everyAction.filter((action) => authorize(caller, action, bucket).allow)).toEqual(actions)
    }
  })

  test.each([
    ['users', [false, true, true]],
    ['everyone', [true, true, true]],
    ['id:id of user', [false, true, false]],
    ['owner', [false, false, false]],
    ['bucket-owner', [false, false, false]],
  ] as const)('gives %s access to an anonymous caller, a user and another user: %o', (grantee, expected) => {
    const bucket = bucketOf('root', { grants: [{ grantee, permission: 'READ' }] })
    const callers = [undefined, user('user'), user('userplus')]
    expect(callers.map((caller) => authorize(caller, 's3:ListBucket', bucket).allow)).toEqual(expected)
  })

  const publicGrants: AccessList = [
    { grantee: 'everyone', permission: 'FULL_CONTROL' },
    { grantee: 'users', permission: 'FULL_CONTROL' },
  ]
  const named: AccessList = [{ grantee: 'id:id of user', permission: 'FULL_CONTROL' }]
  const ignoring = { blockPublicAcls: false, ignorePublicAcls: true, blockPublicPolicy: false, restrictPublicBuckets: false }

  test.each([
    ['the operator disabled public access', bucketOf('x', { grants: publicGrants }, { ...open, public_access: false })],
    ['the bucket ignores public lists', bucketOf('x', { grants: publicGrants, block: ignoring })],
  ] as const)('gives nothing to groups when %s, but still something to named users', (_, bucket) => {
    for (const caller of [undefined, user('user')]) {
      expect(everyAction.filter((action) => authorize(caller, action, bucket).allow)).toEqual([])
      expect(authorizeObject(caller, 's3:GetObject', { bucket, access: { owner: null, grants: publicGrants } })).toBe(false)
    }
    expect(authorize(user('user'), 's3:ListBucket', { ...bucket, grants: named }).allow).toBe(true)
    expect(authorizeObject(user('user'), 's3:GetObject', { bucket, access: { owner: null, grants: named } })).toBe(true)
  })

  test.each([
    ['its own ownership', bucketOf('x', { ownership: 'BucketOwnerEnforced', grants: [...publicGrants, ...named] })],
    ['the default ownership', bucketOf('x', { grants: named }, { ...open, default_object_ownership: 'BucketOwnerEnforced' })],
  ] as const)('has no effect when %s is BucketOwnerEnforced', (_, bucket) => {
    for (const caller of [undefined, user('user')]) {
      expect([...everyAction, 's3:GetObject' as const].filter((action) => authorize(caller, action, bucket).allow)).toEqual([])
    }
    expect(authorize(user('user', 'x'), 's3:GetObject', { ...bucket, mayHaveOtherOwners: false })).toEqual({ allow: true })
  })
})

describe('the list of an object', () => {
  const bucket = bucketOf('the owner', { mayHaveOtherOwners: true })
  const actions = [
    's3:GetObject',
    's3:GetObjectVersion',
    's3:GetObjectAcl',
    's3:PutObjectAcl',
    's3:PutObject',
    's3:GetObjectTagging',
  ] as const
  const allowed = (caller: ReturnType<typeof user> | undefined, owner: string | null, grants: AccessList) =>
    actions.filter((action) => authorizeObject(caller, action, { bucket, access: { owner, grants } }))

  test('decides about reads of others, and about those of the owner of a bucket with objects of others', () => {
    for (const action of actions.slice(0, 4)) {
      expect(authorize(undefined, action, bucket)).toEqual({ allow: 'by-object' })
      expect(authorize(user('user', 'the owner'), action, bucket)).toEqual({ allow: 'by-object' })
      expect(authorize(user('user', 'the owner'), action, { ...bucket, mayHaveOtherOwners: false })).toEqual({ allow: true })
    }
    expect(authorize(user('user', 'the owner'), 's3:DeleteObjectVersion', bucket)).toEqual({ allow: true })
  })

  test.each([
    ['READ', ['s3:GetObject', 's3:GetObjectVersion']],
    ['WRITE', []],
    ['READ_ACP', ['s3:GetObjectAcl']],
    ['WRITE_ACP', ['s3:PutObjectAcl']],
    ['FULL_CONTROL', ['s3:GetObject', 's3:GetObjectVersion', 's3:GetObjectAcl', 's3:PutObjectAcl']],
  ] as const)('gives with %s exactly the actions %o', (permission, expected) => {
    expect(allowed(undefined, null, [{ grantee: 'everyone', permission }])).toEqual(expected)
    expect(allowed(user('user'), 'writer', [{ grantee: 'id:id of user', permission }])).toEqual(expected)
    expect(allowed(user('userplus'), 'writer', [{ grantee: 'id:id of user', permission }])).toEqual([])
  })

  test('of another writer keeps the owner of the bucket out, unless it names him', () => {
    const owner = user('user', 'the owner')
    expect(allowed(owner, 'writer', [{ grantee: 'owner', permission: 'FULL_CONTROL' }])).toEqual([])
    expect(allowed(owner, 'writer', [{ grantee: 'bucket-owner', permission: 'READ' }])).toEqual(['s3:GetObject', 's3:GetObjectVersion'])
  })

  test('without grants leaves its owner only the list, and the owner of the bucket everything of his own', () => {
    expect(allowed(user('user', 'writer'), 'writer', [])).toEqual(['s3:GetObjectAcl', 's3:PutObjectAcl'])
    expect(allowed(user('user', 'the owner'), null, [])).toEqual(actions.slice(0, 4))
    expect(allowed(undefined, null, [])).toEqual([])
  })

  test('of a bucket of the internal account is not that of an anonymous caller', () => {
    const internal = bucketOf('root')
    for (const grantee of ['owner', 'bucket-owner'] as const) {
      const access = { owner: null, grants: [{ grantee, permission: 'FULL_CONTROL' as const }] }
      expect(authorizeObject(undefined, 's3:GetObject', { bucket: internal, access })).toBe(false)
    }
  })
})
