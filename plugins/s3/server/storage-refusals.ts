import { SvcError } from '#kernel'
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts'
import type { Place } from '../wire/target.ts'

const codes: Readonly<Record<string, S3ErrorCode>> = {
  bucket_exists: 'BucketAlreadyExists',
  bucket_not_empty: 'BucketNotEmpty',
  bucket_not_found: 'NoSuchBucket',
  cache_busy: 'SlowDown',
  cache_full: 'InsufficientStorage',
  cache_unavailable: 'ServiceUnavailable',
  content_unavailable: 'ServiceUnavailable',
  database_busy: 'SlowDown',
  database_full: 'InsufficientStorage',
  database_unreachable: 'ServiceUnavailable',
  database_unwritable: 'InsufficientStorage',
  entity_too_large: 'EntityTooLarge',
  entity_too_small: 'EntityTooSmall',
  incomplete_body: 'IncompleteBody',
  invalid_bucket_name: 'InvalidBucketName',
  invalid_copy_range: 'InvalidRange',
  invalid_key: 'InvalidArgument',
  invalid_part: 'InvalidPart',
  invalid_part_number: 'InvalidArgument',
  invalid_part_order: 'InvalidPartOrder',
  is_delete_marker: 'MethodNotAllowed',
  object_not_found: 'NoSuchKey',
  remote_reads_busy: 'SlowDown',
  service_unavailable: 'ServiceUnavailable',
  // The caller was deleted while it was creating a bucket.
  s3_user_not_found: 'InvalidAccessKeyId',
  upload_not_found: 'NoSuchUpload',
  upload_size_mismatch: 'InvalidRequest',
  version_not_found: 'NoSuchVersion',
}

/** Elements of S3 errors by the names that storage has for them. */
const elements: Readonly<Record<string, string>> = {
  uploadId: 'UploadId',
  size: 'ProposedSize',
  bytesMin: 'MinSizeAllowed',
  bytesMax: 'MaxSizeAllowed',
  partNumber: 'PartNumber',
  etag: 'ETag',
}

/** Codes whose storage message is more specific than the S3 message. */
const keepsMessage: ReadonlySet<string> = new Set([
  // The cache is at its limit, or its disk is full.
  'cache_full',
  'cache_unavailable',
  'content_unavailable',
  'database_full',
  'database_unreachable',
  'database_unwritable',
  'entity_too_large',
  'entity_too_small',
  'incomplete_body',
  'invalid_bucket_name',
  'invalid_copy_range',
  'invalid_key',
  'invalid_part',
  'invalid_part_number',
  'invalid_part_order',
  'upload_size_mismatch',
])
const retrySecondsDefault = 5

/** Maps errors of storage to S3 errors; undefined for an internal error. */
export function toS3Error(error: unknown, place: Place | undefined): S3Error | undefined {
  if (error instanceof S3Error) return error
  if (!(error instanceof SvcError)) return undefined
  const code = codes[error.code]
  if (code === undefined) return undefined
  return new S3Error(code, {
    ...(keepsMessage.has(error.code) && { message: error.message }),
    extras: { ...extrasOf(code, place), ...named(error.details) },
    headers: error.status === 503 ? { 'retry-after': String(error.retryAfterSeconds ?? retrySecondsDefault) } : {},
    cause: error,
  })
}

const named = (details: SvcError['details']) =>
  Object.fromEntries(Object.entries(details).flatMap(([name, value]) => (elements[name] === undefined ? [] : [[elements[name], value]])))

function extrasOf(code: S3ErrorCode, place: Place | undefined): Record<string, string> {
  if (place === undefined || place.kind === 'service') return {}
  if (code === 'NoSuchBucket' || code === 'BucketNotEmpty' || code === 'InvalidBucketName' || code === 'BucketAlreadyExists')
    return { BucketName: place.bucket }
  if ((code === 'NoSuchKey' || code === 'NoSuchVersion') && place.kind === 'object') return { Key: place.key }
  return {}
}
