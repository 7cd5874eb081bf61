/**
 * Access control lists. Permissions come from roles and ownership, so every list is the same: the owner of the bucket has full control. Writes
 * that ask for that list are accepted, because clients send them without need; others are refused.
 */
import { accessControlDocument } from '../documents/access-control-list.ts'
import { ownerId } from '../users/owner-id.ts'
import { grantsMax, readAccessHeaders } from '../wire/access-headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { BucketRequest } from './operation.ts'
import { readXmlBody } from './xml-body.ts'

const permissions: ReadonlySet<string> = new Set(['FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP'])

export function ownerHasFullControl({ bucket }: Pick<BucketRequest, 'bucket'>): string {
  const owner = ownerId(bucket.ownerAccessKey)
  return accessControlDocument.write({ owner, grants: [{ grantee: { type: 'CanonicalUser', name: owner }, permission: 'FULL_CONTROL' }] })
}

/** For a write of an object or a bucket that may carry a list in its headers. Throws AccessControlListNotSupported, InvalidArgument or InvalidRequest. */
export function requireSameAccessHeaders({ headers, bucket }: Pick<BucketRequest, 'headers' | 'bucket'>): void {
  if (readAccessHeaders(headers, ownerId(bucket.ownerAccessKey)) === 'others') throw notSupported()
}

/** Throws AccessControlListNotSupported for a list that would change anything, or the error of a list that is not valid. */
export async function requireSameAccess(request: BucketRequest): Promise<void> {
  const requested = readAccessHeaders(request.headers, ownerId(request.bucket.ownerAccessKey))
  const isSame = (await readsSameList(request, requested !== undefined)) ?? requested === 'owner'
  if (!isSame) throw notSupported()
}

const notSupported = (): S3Error =>
  new S3Error('AccessControlListNotSupported', {
    message: 'The bucket does not allow ACLs: the owner of the bucket has full control, and nobody else has access. Send the ACL private.',
  })

/** Undefined without a body. */
async function readsSameList(request: BucketRequest, isInHeaders: boolean): Promise<boolean | undefined> {
  const list = await readXmlBody(request, accessControlDocument, { mayBeEmpty: true })
  if (list === undefined && !isInHeaders) throw new S3Error('MissingSecurityHeader', { extras: { MissingHeaderName: 'x-amz-acl' } })
  if (list === undefined) return undefined
  if (isInHeaders) throw new S3Error('UnexpectedContent')
  const owner = ownerId(request.bucket.ownerAccessKey)
  if (list.owner !== owner) throw new S3Error('AccessDenied', { message: 'The list names another owner than that of the bucket.' })
  if (list.grants.length > grantsMax) throw new S3Error('InvalidRequest', { message: `A list has at most ${grantsMax} grants.` })
  if (list.grants.some(({ permission }) => !permissions.has(permission))) throw new S3Error('MalformedACLError')
  const isOwners = list.grants.every(({ grantee }) => grantee.type === 'CanonicalUser' && grantee.name === owner)
  return isOwners && list.grants.some(({ permission }) => permission === 'FULL_CONTROL')
}
