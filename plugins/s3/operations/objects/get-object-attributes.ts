import { attributesDocument } from '../../documents/object-attributes.ts'
import type { Headers } from '../../wire/headers.ts'
import { readCount, readVersionId } from '../../wire/query.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { refuseCustomerKeys } from '../../wire/unsupported-headers.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { findReadable } from './read-object.ts'

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
type Attribute = (typeof attributes)[number]

const attributesHeader = 'x-amz-object-attributes'
const pageMax = 1000

/** Answers the requested facts about a version without its bytes. */
export const getObjectAttributes: Operation = {
  scope: 'object',
  async run(request, services) {
    const { bucket, key, headers } = request
    const versionId = readVersionId(request.query)
    await request.require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key, versionId })
    const requested = readAttributes(headers)
    const maxParts = readCount(headers, 'x-amz-max-parts', { fallback: pageMax, max: pageMax })
    const partNumberMarker = readCount(headers, 'x-amz-part-number-marker', { fallback: 0, max: Number.MAX_SAFE_INTEGER })
    refuseCustomerKeys(headers)
    const version = await findReadable(request, services, versionId)
    const all = requested.has('ObjectParts') ? await services.uploads.partsOf({ bucket, key, versionId: version.versionId }) : []
    const listed = all.slice(partNumberMarker, partNumberMarker + maxParts)
    const body = attributesDocument.write({
      etag: requested.has('ETag') ? version.etag : undefined,
      checksums: requested.has('Checksum') ? version.headers.checksums : {},
      parts:
        all.length === 0
          ? undefined
          : {
              partsCount: all.length,
              partNumberMarker,
              nextPartNumberMarker: Math.min(partNumberMarker + listed.length, all.length),
              maxParts,
              isTruncated: maxParts > 0 && partNumberMarker + listed.length < all.length,
              parts: listed.map(({ size, checksums }, at) => ({ partNumber: partNumberMarker + at + 1, size, checksums })),
            },
      storageClass: requested.has('StorageClass') ? 'STANDARD' : undefined,
      size: requested.has('ObjectSize') ? version.size : undefined,
    })
    return xmlAnswer(body, { 'last-modified': new Date(version.createdAtMs).toUTCString(), 'x-amz-version-id': version.versionId })
  },
}

/** Throws InvalidRequest without the header, InvalidArgument for an unknown attribute. */
function readAttributes(headers: Headers): ReadonlySet<Attribute> {
  const text = headers.get(attributesHeader)
  if (text === undefined || text.trim() === '') {
    throw new S3Error('InvalidRequest', { message: `Missing required header for this request: ${attributesHeader}` })
  }
  const names = text.split(',').map((name) => name.trim())
  return new Set(
    names.map((name) => {
      const attribute = attributes.find((known) => known === name)
      if (attribute === undefined) throw invalidArgument(attributesHeader, name, 'Invalid attribute name specified.')
      return attribute
    }),
  )
}
