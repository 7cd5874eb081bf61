import { createdUploadDocument } from '../../documents/initiate-multipart-upload.ts'
import { readObjectHeaders } from '../../wire/object-headers.ts'
import { readTaggingHeader } from '../../wire/tags.ts'
import { refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { requireSameAccessHeaders } from '../access-control.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readUploadChecksum } from './upload-checksums.ts'

/** Opens an upload. The headers of the object are those of this request. */
export const createMultipartUpload: Operation = {
  scope: 'object',
  async run(request, { uploads, settings }) {
    const { bucket, key, headers, caller } = request
    refuseUnsupportedObjectHeaders(headers, settings)
    requireSameAccessHeaders(request)
    const { contentType, system, metadata } = readObjectHeaders(headers)
    const tags = readTaggingHeader(headers)
    const checksum = readUploadChecksum(headers)
    const upload = await uploads.create({
      bucket: bucket.name,
      key,
      headers: { contentType, system, user: metadata, ...(tags && { tags }) },
      checksumAlgorithm: checksum?.algorithm ?? null,
      checksumType: checksum?.type ?? null,
      initiator: caller?.accessKey ?? null,
    })
    return xmlAnswer(createdUploadDocument.write({ bucket: bucket.name, key, uploadId: upload.id }), {
      ...(checksum && { 'x-amz-checksum-algorithm': checksum.algorithm.toUpperCase(), 'x-amz-checksum-type': checksum.type }),
    })
  },
}
