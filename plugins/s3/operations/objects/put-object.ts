/** @walk put 8: reads headers and conditions */
import type { ObjectVersion } from '#plugins/storage'
import { readObjectHeaders } from '../../wire/object-headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { checksumHeaders } from '../../wire/stored-checksums.ts'
import { readTaggingHeader, type Tags } from '../../wire/tags.ts'
import { refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { type ObjectRequest, type Operation, type S3Services, senderOf } from '../operation.ts'
import { readWrittenAccess, recorded } from '../written-access.ts'
import { addExpiry } from './expiry-header.ts'
import { readWriteCondition } from './write-condition.ts'

/** Stores an object as a new version. Rejects what the headers make invalid before it reads the body. */
export const putObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const version = await storeObject(request, services, readTaggingHeader(request.headers))
    const headers = storedHeaders(version)
    await addExpiry(headers, services, { bucket: request.bucket, version })
    return { status: 200, headers }
  },
}

export async function storeObject(request: ObjectRequest, services: S3Services, tags: Tags | undefined): Promise<ObjectVersion> {
  const { bucket, key, headers } = request
  refuseUnsupportedObjectHeaders(headers, services.settings)
  const access = readWrittenAccess(request, services)
  const { contentType, system, metadata } = readObjectHeaders(headers)
  const body = await request.openBody({ readBy: 'storage' })
  requireAllowedSize(body.declaredLength, services)
  await services.storageLimits.refuseEarly(bucket, body.declaredLength ?? 0)
  const condition = await readWriteCondition(request)
  condition?.(await services.objects.find(bucket, key))
  return await services.objects.put({
    bucket,
    key,
    body: body.bytes,
    ...(body.checksum && { checksum: body.checksum }),
    ...(body.declaredLength !== undefined && { size: body.declaredLength }),
    headers: { contentType, system, user: metadata, ...(tags && { tags }) },
    verify: body.verify,
    ...(condition && { condition }),
    arrived: body.arrived,
    user: senderOf(request),
    record: recorded(bucket, access, services),
  })
}

export const storedHeaders = ({ etag, versionId, headers: { checksums } }: ObjectVersion): Record<string, string> => ({
  etag: `"${etag}"`,
  'x-amz-version-id': versionId,
  ...checksumHeaders(checksums),
})

function requireAllowedSize(declared: number | undefined, { objects: { sizeBytesMin, sizeBytesMax } }: S3Services): void {
  if (declared === undefined) return
  if (declared > sizeBytesMax) {
    throw new S3Error('EntityTooLarge', {
      message: `Your proposed upload of ${declared} bytes exceeds the maximum allowed object size of ${sizeBytesMax} bytes (s3.max_object_size).`,
      extras: { ProposedSize: declared, MaxSizeAllowed: sizeBytesMax },
    })
  }
  if (declared < sizeBytesMin) {
    throw new S3Error('EntityTooSmall', {
      message: `Your proposed upload of ${declared} bytes is smaller than the minimum allowed object size of ${sizeBytesMin} bytes (s3.min_object_size).`,
      extras: { ProposedSize: declared, MinSizeAllowed: sizeBytesMin },
    })
  }
}
