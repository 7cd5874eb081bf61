import type { UploadPage } from '#plugins/storage'
import { uploadListDocument } from '../../documents/lists/list-multipart-uploads.ts'
import { readCount, readEncodingType } from '../../wire/query.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { describeUpload } from './open-upload.ts'

const uploadsMax = 1000
const emptyPage: UploadPage = { uploads: [], commonPrefixes: [], isTruncated: false }

/** Open uploads of a bucket, by key in byte order, then by creation. */
export const listMultipartUploads: Operation = {
  scope: 'bucket',
  async run(request, { uploads, accessLists }) {
    const { bucket, query } = request
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? '']
    const keyMarker = query.get('key-marker') ?? ''
    // S3 ignores the ID without a key.
    const uploadIdMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '')
    const maxUploads = readCount(query, 'max-uploads', { fallback: uploadsMax, max: uploadsMax })
    const encodingType = readEncodingType(query)
    const wanted = {
      bucket,
      limit: maxUploads,
      prefix,
      delimiter,
      afterKey: keyMarker,
      ...(uploadIdMarker && { afterUploadId: uploadIdMarker }),
    }
    const page = maxUploads === 0 ? emptyPage : await uploads.list(wanted)
    const ids = page.uploads.map(({ id }) => id)
    const owners = await accessLists.ownersOf(bucket, 'uploads', ids)
    const body = uploadListDocument.write({
      ...{ bucket: bucket.name, keyMarker, uploadIdMarker, prefix, delimiter, maxUploads, encodingType },
      next: page.isTruncated && page.last ? { key: page.last.key, uploadId: page.last.uploadId } : undefined,
      isTruncated: page.isTruncated,
      uploads: page.uploads.map((upload) => ({
        key: upload.key,
        uploadId: upload.id,
        createdAtMs: upload.createdAtMs,
        ...describeUpload(upload, accessLists.rulesOf(bucket).owner, owners),
      })),
      commonPrefixes: page.commonPrefixes,
    })
    return xmlAnswer(body)
  },
}
