/** What the stored access of a bucket means for requests. */
import { type AccessList, letsOthersWrite, privateList } from '../wire/access-list-policy.ts'
import type { ObjectOwnership } from '../wire/object-ownership.ts'
import type { PublicAccessBlock } from '../wire/public-access-block.ts'

/** Rules stored with a bucket. Absent members: the default. */
export interface BucketAccess {
  readonly ownership?: ObjectOwnership
  readonly grants?: AccessList
  readonly block?: PublicAccessBlock
  /** Set with the first list that lets other users write, and kept: they may own versions. */
  readonly mayHaveOtherOwners?: true
}

export interface AccessDefaults {
  /** Ownership of buckets that have none of their own. */
  readonly default_object_ownership: ObjectOwnership
  /** False: the public grants of all lists are refused and ignored. */
  readonly public_access: boolean
}

export interface BucketRules {
  readonly owner: string
  readonly ownership: ObjectOwnership
  /** False: only the owner has access, to the bucket and to every object in it. */
  readonly hasLists: boolean
  readonly ignoresPublicGrants: boolean
  readonly grants: AccessList
  /** True when versions may belong to others than the owner of the bucket. */
  readonly mayHaveOtherOwners: boolean
}

const ownershipOf = ({ ownership }: BucketAccess, defaults: AccessDefaults) => ownership ?? defaults.default_object_ownership

/** False: the bucket and its objects can only have the private list. */
export const hasAccessLists = (access: BucketAccess, defaults: AccessDefaults): boolean =>
  ownershipOf(access, defaults) !== 'BucketOwnerEnforced'

export function rulesOf({ owner }: Pick<BucketRules, 'owner'>, access: BucketAccess, defaults: AccessDefaults): BucketRules {
  const { grants = privateList, block, mayHaveOtherOwners } = access
  const hasLists = hasAccessLists(access, defaults)
  return {
    owner,
    ownership: ownershipOf(access, defaults),
    hasLists,
    ignoresPublicGrants: !defaults.public_access || block?.ignorePublicAcls === true,
    grants,
    mayHaveOtherOwners: hasLists && mayHaveOtherOwners === true,
  }
}

export const withGrants = (access: BucketAccess, grants: AccessList): BucketAccess => ({
  ...access,
  grants,
  ...(letsOthersWrite(grants) && { mayHaveOtherOwners: true as const }),
})
