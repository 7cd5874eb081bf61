import type { ObjectVersion } from '#plugins/storage'
import { evaluateWriteConditions, type WriteConditions } from '../../wire/conditions.ts'
import { readObjectHeaders } from '../../wire/object-headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { readTaggingHeader } from '../../wire/tags.ts'
import { refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import type { ObjectRequest, Operation, S3Services } from '../operation.ts'

/** Stores an object as a new version. Rejects what the headers make invalid before it reads the body. */
export const putObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const { bucket, key, headers } = request
    refuseUnsupportedObjectHeaders(headers, services.settings, ['x-amz-tagging'])
    const tags = readTaggingHeader(headers)
    const { contentType, system, metadata } = readObjectHeaders(headers)
    const body = await request.openBody()
    requireAllowedSize(body.declaredLength, services)
    const condition = conditionOf(request)
    condition?.(await services.objects.find(bucket.name, key))
    const version = await services.objects.put({
      bucket: bucket.name,
      key,
      body: body.bytes,
      ...(body.declaredLength !== undefined && { size: body.declaredLength }),
      headers: { contentType, system, user: metadata, ...(tags && { tags }) },
      verify: body.verify,
      ...(condition && { condition }),
    })
    return {
      status: 200,
      headers: {
        etag: `"${version.etag}"`,
        'x-amz-version-id': version.versionId,
        ...checksumHeaders(version),
      },
    }
  },
}

export function checksumHeaders({ headers }: ObjectVersion): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [algorithm, value] of Object.entries(headers.checksums)) {
    all[`x-amz-checksum-${algorithm}`] = value
    all['x-amz-checksum-type'] = 'FULL_OBJECT'
  }
  return all
}

function requireAllowedSize(declared: number | undefined, { objects: { sizeBytesMin, sizeBytesMax } }: S3Services): void {
  if (declared === undefined) return
  if (declared > sizeBytesMax) {
    throw new S3Error('EntityTooLarge', {
      message: `Your proposed upload of ${declared} bytes exceeds the maximum allowed object size of ${sizeBytesMax} bytes.`,
      extras: { ProposedSize: declared, MaxSizeAllowed: sizeBytesMax },
    })
  }
  if (declared < sizeBytesMin) {
    throw new S3Error('EntityTooSmall', {
      message: `Your proposed upload of ${declared} bytes is smaller than the minimum allowed object size of ${sizeBytesMin} bytes.`,
      extras: { ProposedSize: declared, MinSizeAllowed: sizeBytesMin },
    })
  }
}

/** Returns a check of the current version that throws NoSuchKey or PreconditionFailed; undefined without conditions. */
function conditionOf({ headers, key }: ObjectRequest): ((current: ObjectVersion | undefined) => void) | undefined {
  const conditions: WriteConditions = { ifMatch: headers.get('if-match'), ifNoneMatch: headers.get('if-none-match') }
  if (conditions.ifMatch === undefined && conditions.ifNoneMatch === undefined) return undefined
  return (current) => {
    const live = current === undefined || current.isDeleteMarker ? undefined : current.etag
    const result = evaluateWriteConditions(conditions, live)
    if (result.kind === 'absent') throw new S3Error('NoSuchKey', { extras: { Key: key } })
    if (result.kind === 'failed') throw new S3Error('PreconditionFailed', { extras: { Condition: result.condition } })
  }
}
