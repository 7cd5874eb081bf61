import { expect, test } from 'vitest'
import { describeGrant, exposureOf, textOfExposure } from './access-policy.ts'

const access = (grants: readonly string[], more: object = {}) => ({
  is_public_access_on: true,
  ownership: 'ObjectWriter' as const,
  has_lists: true,
  grants: grants.map((permission) => ({ grantee: 'everyone', permission: permission as 'READ' })),
  block: { block_public_acls: false, ignore_public_acls: false, block_public_policy: false, restrict_public_buckets: false },
  ...more,
})

test.each([
  [[], {}, 'private'],
  [['READ'], {}, 'listed'],
  [['READ', 'WRITE'], {}, 'open'],
  [['FULL_CONTROL'], {}, 'open'],
  [['READ_ACP'], {}, 'private'],
  [['READ'], { has_lists: false }, 'private'],
  [['READ'], { is_public_access_on: false }, 'private'],
  [['READ'], { block: { ...access([]).block, ignore_public_acls: true } }, 'private'],
] as const)('the grants %j to everyone with %j make the bucket %s', (grants, more, exposure) => {
  expect(exposureOf(access(grants, more))).toBe(exposure)
})

test('a bucket whose list is private still says that something in it is public', () => {
  expect(textOfExposure('private', true)).toContain('public')
  expect(textOfExposure('private', false)).not.toContain('public')
})

test('grants are said in words', () => {
  expect(describeGrant({ grantee: 'everyone', permission: 'READ' })).toBe('Everyone, without a signature may list the keys.')
  expect(describeGrant({ grantee: 'id:ab', permission: 'WRITE' })).toBe('The user with the owner ID ab may store and delete objects.')
})
