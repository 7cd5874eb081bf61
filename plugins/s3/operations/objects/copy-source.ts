/** The source of CopyObject and UploadPartCopy. */
import type { Bucket, ObjectVersion } from '#plugins/storage'
import { evaluateReadConditions } from '../../wire/conditions.ts'
import type { Headers } from '../../wire/headers.ts'
import { percentDecode } from '../../wire/percent-encoding.ts'
import { requireVersionId } from '../../wire/query.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { requireKey } from '../../wire/target.ts'
import { type ObjectRequest, requireBucket, requireExpectedOwner, type S3Services } from '../operation.ts'

interface CopySource {
  readonly bucket: string
  readonly key: string
  readonly versionId: string | undefined
}

interface FoundSource extends Omit<CopySource, 'bucket'> {
  readonly bucket: Bucket
  /** Has bytes. */
  readonly version: ObjectVersion
}

const header = 'x-amz-copy-source'

/**
 * The version to copy, when the caller may read it and the conditions x-amz-copy-source-if-* hold. Throws InvalidArgument, NoSuchBucket,
 * AccessDenied, NoSuchKey, NoSuchVersion, InvalidRequest for a delete marker, or PreconditionFailed.
 */
export async function findCopySource(request: ObjectRequest, services: S3Services): Promise<FoundSource> {
  const { buckets, objects } = services
  const source = parseCopySource(request.headers.get(header) ?? '')
  const { key, versionId } = source
  const bucket = requireBucket(buckets, source.bucket)
  await request.require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key, versionId })
  // After the permission, so that callers without it cannot guess the owner.
  requireExpectedOwner(request.headers.get('x-amz-source-expected-bucket-owner'), bucket, services)
  const version = await objects.find(bucket, key, versionId)
  if (version === undefined || (versionId === undefined && version.isDeleteMarker)) {
    if (versionId === undefined) throw new S3Error('NoSuchKey', { extras: { Key: key } })
    throw new S3Error('NoSuchVersion', { extras: { Key: key, VersionId: versionId } })
  }
  if (version.isDeleteMarker) {
    throw new S3Error('InvalidRequest', {
      message: 'The source of a copy request may not specifically refer to a delete marker by version id.',
    })
  }
  await request.confirm(bucket, version)
  requireConditions(request, version)
  return { ...source, bucket, version }
}

/** `[/]bucket/key[?versionId=…]`, percent-encoded; some clients encode the slash after the bucket too. Throws InvalidArgument or KeyTooLongError. */
export function parseCopySource(text: string): CopySource {
  const mark = text.lastIndexOf('?versionId=')
  const path = percentDecode(mark < 0 ? text : text.slice(0, mark))?.replace(/^\//, '')
  const slash = path?.indexOf('/') ?? -1
  if (path === undefined || slash < 1 || slash === path.length - 1) {
    throw invalidArgument(header, text, 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
  }
  const versionId = mark < 0 ? undefined : percentDecode(text.slice(mark + '?versionId='.length))
  if (mark >= 0 && versionId === undefined) throw invalidArgument(header, text, 'Invalid version id specified')
  return {
    bucket: path.slice(0, slash),
    key: requireKey(path.slice(slash + 1)),
    versionId: versionId === undefined ? undefined : requireVersionId(versionId),
  }
}

function requireConditions({ headers, now }: ObjectRequest, { etag, createdAtMs }: ObjectVersion): void {
  const condition = (name: string) => headers.get(`${header}-${name}`)
  const ifNoneMatch = condition('if-none-match')
  const result = evaluateReadConditions(
    {
      ifMatch: condition('if-match'),
      ifNoneMatch,
      ifModifiedSince: condition('if-modified-since'),
      ifUnmodifiedSince: condition('if-unmodified-since'),
    },
    { etag, lastModifiedMs: createdAtMs },
    now,
  )
  if (result.kind === 'failed') throw failed(result.condition)
  if (result.kind === 'not-modified') throw failed(ifNoneMatch === undefined ? 'If-Modified-Since' : 'If-None-Match')
}

const failed = (condition: string): S3Error => new S3Error('PreconditionFailed', { extras: { Condition: `${header}-${condition}` } })

export function copySourceHeaders({ version }: FoundSource): Record<string, string> {
  return { 'x-amz-copy-source-version-id': version.versionId }
}

/** COPY or REPLACE. Throws InvalidArgument. */
export function readDirective(headers: Headers, name: string): 'COPY' | 'REPLACE' {
  const value = headers.get(name) ?? 'COPY'
  if (value === 'COPY' || value === 'REPLACE') return value
  throw invalidArgument(name, value, `Unknown ${name}: use COPY or REPLACE.`)
}
