/** Access control lists in headers: canned ones by name, and grants. */
import type { Headers } from './headers.ts'
import { invalidArgument, S3Error } from './s3-error.ts'

const fullControl = 'x-amz-grant-full-control'
const grantHeaders = [fullControl, 'x-amz-grant-read', 'x-amz-grant-read-acp', 'x-amz-grant-write', 'x-amz-grant-write-acp']
/** In one list. */
export const grantsMax = 100

/** Canned lists with the effect that the owner of the bucket has full control and nobody else has access. */
const ownersOnly: ReadonlySet<string> = new Set(['private', 'bucket-owner-read', 'bucket-owner-full-control'])
const known: ReadonlySet<string> = new Set([
  ...ownersOnly,
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'log-delivery-write',
])

/** `owner`: the owner has full control, and nobody else has access. `undefined`: the headers ask for no list. */
type RequestedAccess = 'owner' | 'others' | undefined

/** `owner`: ID of the owner of the bucket. Throws InvalidArgument, or InvalidRequest. */
export function readAccessHeaders(headers: Headers, owner: string): RequestedAccess {
  const acl = headers.get('x-amz-acl')
  if (acl !== undefined && !known.has(acl)) throw invalidArgument('x-amz-acl', acl, 'There is no canned ACL of this name; use private.')
  const grants = grantHeaders.flatMap((header) => {
    const text = headers.get(header)
    return text === undefined ? [] : readGrantees(header, text).map((grantee) => ({ header, ...grantee }))
  })
  if (grants.length > grantsMax) throw new S3Error('InvalidRequest', { message: `A list has at most ${grantsMax} grants.` })
  if (acl !== undefined && grants.length > 0) {
    throw new S3Error('InvalidRequest', { message: 'Specifying both Canned ACLs and Header Grants is not allowed' })
  }
  if (acl !== undefined) return ownersOnly.has(acl) ? 'owner' : 'others'
  if (grants.length === 0) return undefined
  const isOwners = grants.every(({ type, name }) => type === 'id' && name === owner) && grants.some(({ header }) => header === fullControl)
  return isOwners ? 'owner' : 'others'
}

const granteeTypes: ReadonlySet<string> = new Set(['id', 'uri', 'emailaddress'])

/** `id="…", uri="…", emailAddress="…"` */
function readGrantees(header: string, text: string) {
  return text.split(',').map((part) => {
    const [type = '', value = '', ...more] = part.split('=').map((side) => side.trim())
    const name = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
    if (granteeTypes.has(type.toLowerCase()) && name !== '' && more.length === 0) return { type: type.toLowerCase(), name }
    throw invalidArgument(header, text, `${header} must list grantees as id="…", uri="…" or emailAddress="…".`)
  })
}
