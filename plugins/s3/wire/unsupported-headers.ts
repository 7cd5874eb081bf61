/** Rejects headers that request unsupported features, so that clients do not rely on them. */

import type { S3Settings } from '../settings.ts'
import type { Headers } from './headers.ts'
import { invalidArgument, S3Error } from './s3-error.ts'

const grants = ['x-amz-grant-full-control', 'x-amz-grant-read', 'x-amz-grant-read-acp', 'x-amz-grant-write', 'x-amz-grant-write-acp']
const customerKeys = [
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-context',
  'x-amz-server-side-encryption-bucket-key-enabled',
]
const objectLock = ['x-amz-object-lock-mode', 'x-amz-object-lock-retain-until-date', 'x-amz-object-lock-legal-hold']
const refusedOnWrites = [...grants, ...customerKeys, ...objectLock, 'x-amz-write-offset-bytes']

/** Canned ACLs that match the behaviour of this server. */
const harmlessAcls: ReadonlySet<string> = new Set(['private', 'bucket-owner-read', 'bucket-owner-full-control'])
const knownAcls: ReadonlySet<string> = new Set([
  ...harmlessAcls,
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'log-delivery-write',
])
const knownOwnerships: ReadonlySet<string> = new Set(['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'])

/** Throws NotImplemented, or InvalidArgument for an unknown name. */
export function refuseUnsupportedBucketHeaders(headers: Headers): void {
  for (const name of grants) if (headers.has(name)) throw notImplemented(name)
  requireHarmlessAcl(headers)
  if (headers.get('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true') throw notImplemented('x-amz-bucket-object-lock-enabled')
  const ownership = headers.get('x-amz-object-ownership')
  if (ownership !== undefined && !knownOwnerships.has(ownership)) {
    throw invalidArgument(
      'x-amz-object-ownership',
      ownership,
      'The object ownership must be BucketOwnerEnforced, BucketOwnerPreferred or ObjectWriter.',
    )
  }
  if (ownership === 'ObjectWriter') throw notImplemented('x-amz-object-ownership')
}

/** Throws NotImplemented, InvalidArgument or InvalidStorageClass. */
export function refuseUnsupportedObjectHeaders(headers: Headers, settings: S3Settings): void {
  for (const name of refusedOnWrites) if (headers.has(name)) throw notImplemented(name)
  requireHarmlessAcl(headers)
  const encryption = headers.get('x-amz-server-side-encryption')
  if (encryption !== undefined && !(encryption === 'AES256' && settings.sse_s3_header === 'ignore')) {
    throw notImplemented('x-amz-server-side-encryption')
  }
  const storageClass = headers.get('x-amz-storage-class') ?? 'STANDARD'
  if (storageClass !== 'STANDARD' && settings.storage_class_policy === 'reject') {
    throw new S3Error('InvalidStorageClass', { extras: { StorageClassRequested: storageClass } })
  }
}

/** No object is encrypted with a customer key. Throws InvalidRequest. */
export function refuseCustomerKeys(headers: Headers, name = 'x-amz-server-side-encryption-customer-algorithm'): void {
  if (!headers.has(name)) return
  throw new S3Error('InvalidRequest', {
    message: 'The encryption parameters are not applicable to this object.',
    extras: { Header: name },
  })
}

function requireHarmlessAcl(headers: Headers): void {
  requireKnownAcl(headers)
  const acl = headers.get('x-amz-acl')
  if (acl !== undefined && !isHarmlessAcl(acl)) throw notImplemented('x-amz-acl')
}

/** Whether everybody has the same access with the canned ACL as without one. */
export const isHarmlessAcl = (acl: string): boolean => harmlessAcls.has(acl)

export const hasGrants = (headers: Headers): boolean => grants.some((name) => headers.has(name))

/** Throws InvalidArgument. */
export function requireKnownAcl(headers: Headers): void {
  const acl = headers.get('x-amz-acl')
  if (acl !== undefined && !knownAcls.has(acl)) throw invalidArgument('x-amz-acl', acl, `There is no canned ACL of this name; use private.`)
}

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', {
    message: `The header ${header} implies functionality that is not implemented.`,
    extras: { Header: header },
  })
}
