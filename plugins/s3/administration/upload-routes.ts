import { defineRoutes, formatTime, SvcError, serveEndpoint } from '#kernel'
import { type Bucket, buckets, type Upload, uploads } from '#plugins/storage'
import { abortOpenUpload, listOpenUploads } from './upload-api.ts'

/** Uploads of a page: the parts of each are counted. */
const pageSize = 50
const countedPartsMax = 1000

export const openUploadRoutes = defineRoutes({
  name: 's3-open-uploads',
  uses: { buckets, uploads },
  endpoints: [listOpenUploads, abortOpenUpload],
  register(app, { buckets, uploads }) {
    async function describeUpload(bucket: Bucket, { id, key, initiator, createdAtMs }: Upload) {
      const { parts, isTruncated } = await uploads.listParts({ bucket, key, uploadId: id, limit: countedPartsMax })
      return {
        key,
        upload_id: id,
        initiator,
        created_at: formatTime(createdAtMs),
        parts: parts.length,
        bytes: parts.reduce((sum, { size }) => sum + size, 0),
        parts_exceed: isTruncated,
      }
    }

    serveEndpoint(app, listOpenUploads, async ({ params, query: { key_marker, upload_marker } }) => {
      const bucket = buckets.require(params.name)
      const page = await uploads.list({
        bucket,
        limit: pageSize,
        ...(key_marker === undefined ? {} : { afterKey: key_marker }),
        ...(upload_marker === undefined ? {} : { afterUploadId: upload_marker }),
      })
      const described = []
      for (const upload of page.uploads) {
        const shown = await describeUpload(bucket, upload).catch(skipEnded)
        if (shown) described.push(shown)
      }
      return {
        uploads: described,
        has_more: page.isTruncated,
        ...(page.isTruncated && page.last && { next_key_marker: page.last.key, next_upload_marker: page.last.uploadId ?? '' }),
      }
    })

    serveEndpoint(app, abortOpenUpload, async ({ params, body }) => {
      await uploads.abort({ bucket: buckets.require(params.name), key: body.key, uploadId: body.upload_id })
    })
  },
})

/** An upload may end after the page was read. */
function skipEnded(error: unknown): undefined {
  if (!(error instanceof SvcError) || error.code !== 'upload_not_found') throw error
}
