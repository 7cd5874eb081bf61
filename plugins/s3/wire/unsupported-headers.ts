/** Rejects headers that request unsupported features, so that clients do not rely on them. */

import type { S3Settings } from '../settings.ts'
import type { Headers } from './headers.ts'
import { S3Error } from './s3-error.ts'

const customerKeys = [
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-context',
  'x-amz-server-side-encryption-bucket-key-enabled',
]
const objectLock = ['x-amz-object-lock-mode', 'x-amz-object-lock-retain-until-date', 'x-amz-object-lock-legal-hold']
const refusedOnWrites = [...customerKeys, ...objectLock, 'x-amz-write-offset-bytes']

/** Throws NotImplemented. */
export function refuseUnsupportedBucketHeaders(headers: Headers): void {
  if (headers.get('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true') throw notImplemented('x-amz-bucket-object-lock-enabled')
}

/** Throws NotImplemented or InvalidStorageClass. */
export function refuseUnsupportedObjectHeaders(headers: Headers, settings: S3Settings): void {
  for (const name of refusedOnWrites) if (headers.has(name)) throw notImplemented(name)
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

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', {
    message: `The header ${header} implies functionality that is not implemented.`,
    extras: { Header: header },
  })
}
