/** Authorizes by role, ownership and access control lists. */
import type { BucketRules } from '../access/access-rules-policy.ts'
import type { ObjectAccess } from '../access/object-access-store.ts'
import type { S3User } from '../contract.ts'
import { type Grant, type Permission, privateList } from '../wire/access-list-policy.ts'
import type { S3Action } from './actions.ts'

type Caller = S3User | undefined

type Verdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: 'anonymous' | 'role-may-not-create-buckets' | 'not-allowed' }
  /** The owner and the list of the version decide. */
  | { readonly allow: 'by-object' }

/** Permissions in the list of a bucket. Other actions on the bucket need its owner. */
const bucketPermissions: Partial<Record<S3Action, Permission>> = {
  's3:ListBucket': 'READ',
  's3:ListBucketVersions': 'READ',
  's3:ListBucketMultipartUploads': 'READ',
  's3:PutObject': 'WRITE',
  's3:DeleteObject': 'WRITE',
  // And the upload must be the caller's own: operations/multipart/open-upload.ts.
  's3:ListMultipartUploadParts': 'WRITE',
  's3:AbortMultipartUpload': 'WRITE',
  's3:GetBucketAcl': 'READ_ACP',
  's3:PutBucketAcl': 'WRITE_ACP',
}

/** Permissions in the list of a version. */
const objectPermissions: Partial<Record<S3Action, Permission>> = {
  's3:GetObject': 'READ',
  's3:GetObjectVersion': 'READ',
  's3:GetObjectAcl': 'READ_ACP',
  's3:GetObjectVersionAcl': 'READ_ACP',
  's3:PutObjectAcl': 'WRITE_ACP',
  's3:PutObjectVersionAcl': 'WRITE_ACP',
}

/** `bucket`: undefined for actions of the whole service. */
export function authorize(caller: Caller, action: S3Action, bucket?: BucketRules): Verdict {
  if (caller?.role === 'admin') return { allow: true }
  if (bucket === undefined) return authorizeService(caller, action)
  const isOwner = isUser(caller, bucket.owner)
  if (isOwner && !bucket.mayHaveOtherOwners) return { allow: true }
  if (objectPermissions[action] !== undefined && bucket.hasLists) return { allow: 'by-object' }
  if (isOwner) return { allow: true }
  const permission = bucketPermissions[action]
  const people = { owner: bucket.owner, bucket }
  if (permission !== undefined && bucket.hasLists && isGranted(caller, permission, bucket.grants, people)) return { allow: true }
  return { allow: false, reason: caller === undefined ? 'anonymous' : 'not-allowed' }
}

/** After the verdict `by-object`. `access`: undefined for a version with the default owner and list. */
export function authorizeObject(
  caller: Caller,
  action: S3Action,
  { bucket, access }: { readonly bucket: BucketRules; readonly access: ObjectAccess | undefined },
): boolean {
  const { owner, grants } = access ?? { owner: null, grants: privateList }
  const people = { owner: owner ?? bucket.owner, bucket }
  const permission = objectPermissions[action]
  if (permission === undefined) return false
  if (isUser(caller, people.owner)) {
    // The owner of an object may always see and change its list; the owner of its bucket may do everything with an object of his own.
    if (permission !== 'READ' || isUser(caller, bucket.owner)) return true
  }
  return isGranted(caller, permission, grants, people)
}

/** Applies to keys without a version: tells those who may list the keys of the bucket that there is none. */
export const mayKnowMissing = (caller: Caller, bucket: BucketRules): boolean => authorize(caller, 's3:ListBucket', bucket).allow === true

function authorizeService(caller: Caller, action: S3Action): Verdict {
  if (caller === undefined) return { allow: false, reason: 'anonymous' }
  if (action === 's3:ListAllMyBuckets') return { allow: true }
  if (action !== 's3:CreateBucket') return { allow: false, reason: 'not-allowed' }
  return caller.role === 'userplus' ? { allow: true } : { allow: false, reason: 'role-may-not-create-buckets' }
}

interface People {
  /** Owner of the bucket or version that has the list. */
  readonly owner: string
  readonly bucket: BucketRules
}

const isGranted = (caller: Caller, permission: Permission, grants: readonly Grant[], people: People): boolean =>
  grants.some((grant) => (grant.permission === permission || grant.permission === 'FULL_CONTROL') && isGrantee(caller, grant, people))

function isGrantee(caller: Caller, { grantee }: Grant, { owner, bucket }: People): boolean {
  switch (grantee) {
    case 'everyone':
      return !bucket.ignoresPublicGrants
    case 'users':
      return !bucket.ignoresPublicGrants && caller !== undefined
    case 'owner':
      return isUser(caller, owner)
    case 'bucket-owner':
      return isUser(caller, bucket.owner)
    default:
      return caller !== undefined && grantee === `id:${caller.ownerId}`
  }
}

/** False for an anonymous caller. */
const isUser = (caller: Caller, ownerId: string): boolean => caller?.ownerId === ownerId
