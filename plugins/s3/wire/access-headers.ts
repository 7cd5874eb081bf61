/** Access control lists as clients send them in headers: canned ones by name, and grants. */
import { type CannedName, grantsMax, isCannedName, type Permission } from './access-list-policy.ts'
import type { Headers } from './headers.ts'
import { invalidArgument, S3Error } from './s3-error.ts'

/** Sorted as the grants are listed. */
const grantHeaders: readonly (readonly [header: string, permission: Permission])[] = [
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
]

/** A user by its ID, a group by its URI, or a user of AWS by an email address. */
export interface SentGrantee {
  readonly type: 'CanonicalUser' | 'Group' | 'AmazonCustomerByEmail'
  readonly name: string
}

export interface SentGrant {
  readonly grantee: SentGrantee
  readonly permission: Permission
}

/** A list that a client asks for. */
export type SentList = { readonly canned: CannedName } | { readonly grants: readonly SentGrant[] }

/** Lists of services that only AWS has. */
const listsOfAws: ReadonlySet<string> = new Set(['aws-exec-read', 'log-delivery-write'])

/** Returns undefined when the headers ask for no list. Throws InvalidArgument or InvalidRequest. */
export function readAccessHeaders(headers: Headers): SentList | undefined {
  // Some clients send an empty header, which Amazon S3 ignores.
  const acl = headers.get('x-amz-acl') || undefined
  if (acl !== undefined && !isCannedName(acl)) throw invalidArgument('x-amz-acl', acl, unknownName(acl))
  const grants = grantHeaders.flatMap(([header, permission]) => {
    const text = headers.get(header)
    return text === undefined ? [] : readGrantees(header, text).map((grantee) => ({ grantee, permission }))
  })
  requireFewGrants(grants)
  if (acl === undefined) return grants.length === 0 ? undefined : { grants }
  if (grants.length === 0) return { canned: acl }
  throw new S3Error('InvalidRequest', { message: 'Specifying both Canned ACLs and Header Grants is not allowed' })
}

const unknownName = (acl: string): string =>
  listsOfAws.has(acl)
    ? `The canned ACL ${acl} is for a service of AWS that does not exist here; use private.`
    : 'There is no canned ACL of this name; use private.'

/** Throws InvalidRequest. */
export function requireFewGrants(grants: readonly unknown[]): void {
  if (grants.length > grantsMax) throw new S3Error('InvalidRequest', { message: `A list has at most ${grantsMax} grants.` })
}

const granteeTypes: ReadonlyMap<string, SentGrantee['type']> = new Map([
  ['id', 'CanonicalUser'],
  ['uri', 'Group'],
  ['emailaddress', 'AmazonCustomerByEmail'],
])

/** `id="…", uri="…", emailAddress="…"` */
function readGrantees(header: string, text: string): SentGrantee[] {
  return text.split(',').map((part) => {
    const [sentType = '', value = '', ...more] = part.split('=').map((side) => side.trim())
    const name = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
    const type = granteeTypes.get(sentType.toLowerCase())
    if (type !== undefined && name !== '' && more.length === 0) return { type, name }
    throw invalidArgument(header, text, `${header} must list grantees as id="…", uri="…" or emailAddress="…".`)
  })
}
