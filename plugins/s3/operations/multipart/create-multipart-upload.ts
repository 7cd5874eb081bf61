import { createdUploadDocument } from '../../documents/initiate-multipart-upload.ts'
import { readObjectHeaders } from '../../wire/object-headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { readTaggingHeader } from '../../wire/tags.ts'
import { refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readWrittenAccess } from '../written-access.ts'
import { readUploadChecksum } from './upload-checksums.ts'

/** Opens an upload. The headers of the object are those of this request. */
export const createMultipartUpload: Operation = {
  scope: 'object',
  async run(request, services) {
    const { uploads, settings, accessLists } = services
    const { bucket, key, headers, caller } = request
    if (caller === undefined) {
      throw new S3Error('AccessDenied', { message: 'Anonymous users cannot initiate multipart uploads. Sign the request.' })
    }
    refuseUnsupportedObjectHeaders(headers, settings)
    const access = readWrittenAccess(request, services)
    const { contentType, system, metadata } = readObjectHeaders(headers)
    const tags = readTaggingHeader(headers)
    const checksum = readUploadChecksum(headers)
    const upload = await uploads.create({
      bucket,
      key,
      headers: { contentType, system, user: metadata, ...(tags && { tags }) },
      checksumAlgorithm: checksum?.algorithm ?? null,
      checksumType: checksum?.type ?? null,
      initiator: caller.ownerId,
      ...(access && { record: (tx, { id }) => accessLists.addToUpload(tx, id, access) }),
    })
    return xmlAnswer(createdUploadDocument.write({ bucket: bucket.name, key, uploadId: upload.id }), {
      ...(checksum && { 'x-amz-checksum-algorithm': checksum.algorithm.toUpperCase(), 'x-amz-checksum-type': checksum.type }),
    })
  },
}
