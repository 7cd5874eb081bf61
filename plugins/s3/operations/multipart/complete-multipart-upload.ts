import { completedUploadDocument, completeUploadDocument } from '../../documents/complete-multipart-upload.ts'
import { readObjectChecksum } from '../../wire/checksums.ts'
import type { Headers } from '../../wire/headers.ts'
import { partsMax } from '../../wire/query.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { xmlBytesMax } from '../../wire/xml-reader.ts'
import { addExpiry } from '../objects/expiry-header.ts'
import { readWriteCondition } from '../objects/write-condition.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { placeOf, requireOwnUpload } from './open-upload.ts'
import { objectChecksums, requireObjectChecksum, requireUploadType } from './upload-checksums.ts'

/** Makes the listed parts one object. Repeating the request gives the same answer. */
export const completeMultipartUpload: Operation = {
  scope: 'object',
  async run(request, services) {
    const { uploads, accessLists, storageLimits } = services
    const { bucket, key, headers, resourceUrl } = request
    const expected = readObjectChecksum(headers)
    const expectedSize = readObjectSize(headers)
    const condition = await readWriteCondition(request)
    const parts = await readXmlBody(request, completeUploadDocument, { bytesMax: xmlBytesMax, checksumOf: 'object' })
    for (const { partNumber } of parts) requireNumber(partNumber)
    const place = placeOf(request)
    const version = await uploads.complete({
      ...place,
      parts,
      ...(expectedSize !== undefined && { expectedSize }),
      ...(condition && { condition }),
      record: async (tx, version) => {
        await storageLimits.checkVersion(tx, bucket)
        await accessLists.copyFromUpload(tx, place.uploadId, version)
      },
      permit(upload) {
        requireOwnUpload(request, upload)
        requireUploadType(headers, upload)
      },
      async verify(stored, upload) {
        const checksums = await objectChecksums(upload, stored)
        requireObjectChecksum(expected, checksums)
        return checksums
      },
    })
    const { etag, versionId } = version
    const { checksums } = version.headers
    const answered: Record<string, string> = { 'x-amz-version-id': versionId }
    await addExpiry(answered, services, { bucket, version })
    return xmlAnswer(completedUploadDocument.write({ location: resourceUrl, bucket: bucket.name, key, etag, checksums }), answered)
  },
}

/** Throws InvalidArgument. */
function requireNumber(partNumber: number): void {
  if (partNumber >= 1 && partNumber <= partsMax) return
  throw invalidArgument('PartNumber', String(partNumber), `PartNumber must be an integer between 1 and ${partsMax}, inclusive`)
}

/** Throws InvalidRequest. */
function readObjectSize(headers: Headers): number | undefined {
  const text = headers.get('x-amz-mp-object-size')
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new S3Error('InvalidRequest', { message: 'Value for x-amz-mp-object-size header is invalid.' })
  return Number(text)
}
