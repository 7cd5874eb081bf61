import { partListDocument } from '../../documents/lists/list-parts.ts'
import { partsMax, readCount } from '../../wire/query.ts'
import { type ObjectRequest, type Operation, type S3Services, xmlAnswer } from '../operation.ts'
import { describeUpload, placeOf, requireOwnUpload, requireUpload } from './open-upload.ts'

const pageMax = 1000

/** The stored parts of an open upload, by number. */
export const listParts: Operation = {
  scope: 'object',
  async run(request, services) {
    const { query } = request
    const maxParts = readCount(query, 'max-parts', { fallback: pageMax, max: pageMax })
    const partNumberMarker = readCount(query, 'part-number-marker', { fallback: 0, max: partsMax })
    const { upload, parts, isTruncated } = await readPage(request, services, { after: partNumberMarker, limit: maxParts })
    requireOwnUpload(request, upload)
    const owners = await services.accessLists.ownersOf(request.bucket, 'uploads', [upload.id])
    const body = partListDocument.write({
      ...placeOf(request),
      bucket: request.bucket.name,
      partNumberMarker,
      nextPartNumberMarker: parts.at(-1)?.partNumber ?? partNumberMarker,
      maxParts,
      isTruncated,
      parts,
      ...describeUpload(upload, services.accessLists.rulesOf(request.bucket).owner, owners),
    })
    return xmlAnswer(body)
  },
}

async function readPage(request: ObjectRequest, services: S3Services, page: { readonly after: number; readonly limit: number }) {
  if (page.limit === 0) return { upload: await requireUpload(request, services), parts: [], isTruncated: false }
  return await services.uploads.listParts({ ...placeOf(request), ...page })
}
