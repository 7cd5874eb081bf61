/** Access control lists as clients send and get them: their meaning for one bucket or object, and what refuses them. */
import { type AccessDefaults, type BucketAccess, hasAccessLists } from '../access/access-rules-policy.ts'
import { accessControlDocument } from '../documents/access-control-list.ts'
import { readAccessHeaders, requireFewGrants, type SentGrantee, type SentList } from '../wire/access-headers.ts'
import { type AccessList, cannedList, type Grantee, isPrivate, isPublic } from '../wire/access-list-policy.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import type { BucketRequest, S3Services } from './operation.ts'
import { readXmlBody } from './xml-body.ts'

/** Whose list it is: owner IDs. */
export interface Owners {
  readonly owner: string
  readonly bucketOwner: string
}

const groups = {
  everyone: 'http://acs.amazonaws.com/groups/global/AllUsers',
  users: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
} as const satisfies Partial<Record<Grantee, string>>

type UserNames = Pick<S3Services, 'findOwnerId'>

/** Throws InvalidArgument for an unknown user or group, UnresolvableGrantByEmailAddress for an email address. */
export function readList(sent: SentList, owners: Owners, services: UserNames): AccessList {
  if ('grants' in sent) {
    return sent.grants.map(({ grantee, permission }) => ({ grantee: readGrantee(grantee, owners, services), permission }))
  }
  const list = cannedList(sent.canned)
  // The owner of the bucket has full control of what he owns.
  return owners.owner === owners.bucketOwner ? list.filter(({ grantee }) => grantee !== 'bucket-owner') : list
}

/** The owner is stored as such, so that the grant follows the owner when another user becomes it. */
function readGrantee({ type, name }: SentGrantee, { owner, bucketOwner }: Owners, { findOwnerId }: UserNames): Grantee {
  if (type === 'AmazonCustomerByEmail') throw new S3Error('UnresolvableGrantByEmailAddress', { extras: { EmailAddress: name } })
  if (type === 'Group') {
    if (name === groups.everyone) return 'everyone'
    if (name === groups.users) return 'users'
    throw invalidArgument('URI', name, 'Invalid group uri: use the group AllUsers or AuthenticatedUsers.')
  }
  const known = findOwnerId(name)
  const id = known ?? name
  if (id === owner) return 'owner'
  if (id === bucketOwner) return 'bucket-owner'
  if (known !== undefined) return `id:${known}`
  throw invalidArgument('ID', name, 'Invalid id: there is no S3 user with this owner ID or access key.')
}

export function describeList(list: AccessList, owners: Owners): string {
  const grants = list.map(({ grantee, permission }) => ({ grantee: describeGrantee(grantee, owners), permission }))
  const isGroup = (at: (typeof grants)[number]) => at.grantee.type === 'Group'
  return accessControlDocument.write({
    owner: owners.owner,
    // Groups first, as clients expect.
    grants: [...grants.filter(isGroup), ...grants.filter((grant) => !isGroup(grant))],
  })
}

function describeGrantee(grantee: Grantee, { owner, bucketOwner }: Owners): SentGrantee {
  switch (grantee) {
    case 'everyone':
    case 'users':
      return { type: 'Group', name: groups[grantee] }
    case 'owner':
      return { type: 'CanonicalUser', name: owner }
    case 'bucket-owner':
      return { type: 'CanonicalUser', name: bucketOwner }
    default:
      return { type: 'CanonicalUser', name: grantee.slice('id:'.length) }
  }
}

/** Reads the list of PutBucketAcl and PutObjectAcl from the headers or the body. Throws MissingSecurityHeader without a list, and the errors of one that is invalid. */
export async function readSentList(
  request: BucketRequest,
  { owner }: Pick<Owners, 'owner'>,
  { findOwnerId }: UserNames,
): Promise<SentList> {
  const inHeaders = readAccessHeaders(request.headers)
  const inBody = await readXmlBody(request, accessControlDocument, { mayBeEmpty: true })
  if (inBody === undefined) {
    if (inHeaders !== undefined) return inHeaders
    throw new S3Error('MissingSecurityHeader', { extras: { MissingHeaderName: 'x-amz-acl' } })
  }
  if (inHeaders !== undefined) throw new S3Error('UnexpectedContent')
  if ((findOwnerId(inBody.owner) ?? inBody.owner) !== owner) {
    throw new S3Error('AccessDenied', { message: 'The list names another owner than that of the bucket or object.' })
  }
  requireFewGrants(inBody.grants)
  return inBody
}

/** Throws AccessControlListNotSupported or AccessDenied for a list that a bucket with this access, or an object in it, may not have. */
export function requireAllowedList(list: AccessList, access: BucketAccess, settings: AccessDefaults): void {
  if (!hasAccessLists(access, settings) && !isPrivate(list)) {
    throw new S3Error('AccessControlListNotSupported', {
      message:
        'The bucket does not allow ACLs: its ObjectOwnership is BucketOwnerEnforced, so the owner of the bucket has full control and nobody else has access. Send the ACL private.',
    })
  }
  requirePublicAllowed(list, settings)
  if (!isPublic(list) || access.block?.blockPublicAcls !== true) return
  throw new S3Error('AccessDenied', {
    message: 'Access Denied: the public access block of the bucket refuses public access control lists (BlockPublicAcls).',
  })
}

/** Throws AccessDenied for a public list while the operator disabled them. */
export function requirePublicAllowed(list: AccessList, { public_access }: Pick<AccessDefaults, 'public_access'>): void {
  if (public_access || !isPublic(list)) return
  throw new S3Error('AccessDenied', {
    message:
      'Access Denied: the operator of this gateway disabled public access (s3.public_access), so no access control list may give access to everyone or to every user.',
  })
}
