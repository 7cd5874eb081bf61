import { requirePartNumber } from '../../wire/query.ts'
import { refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { type Operation, senderOf } from '../operation.ts'
import { placeOf, requireUpload } from './open-upload.ts'
import { partAlgorithm, partChecksumHeaders, requirePartAlgorithm } from './upload-checksums.ts'

/** Stores one part. A part with the same number is replaced. */
export const uploadPart: Operation = {
  scope: 'object',
  async run(request, services) {
    const { settings, uploads } = services
    refuseUnsupportedObjectHeaders(request.headers, settings)
    const partNumber = requirePartNumber(request.query)
    const upload = await requireUpload(request, services)
    const defaultChecksum = partAlgorithm(upload, settings)
    const body = await request.openBody({ readBy: 'storage', ...(defaultChecksum && { defaultChecksum }) })
    requirePartAlgorithm(upload, body.declaredChecksum)
    await services.storageLimits.refuseEarly(request.bucket, body.declaredLength ?? 0)
    const part = await uploads.putPart({
      ...placeOf(request),
      partNumber,
      body: body.bytes,
      ...(body.checksum && { checksum: body.checksum }),
      ...(body.declaredLength !== undefined && { size: body.declaredLength }),
      verify: body.verify,
      user: senderOf(request),
    })
    return { status: 200, headers: { etag: `"${part.etag}"`, ...partChecksumHeaders(part.checksums) } }
  },
}
