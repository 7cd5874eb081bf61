import { defineRoutes, formatTime, log, serveEndpoint } from '#kernel'
import { buckets, objects } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { bytesOf } from './bytes-of.ts'
import { downloadHeaders } from './download-headers-policy.ts'
import { deleteObject, downloadObject, uploadObject } from './object-api.ts'
import { refuseUpload } from './refuse-upload.ts'
import { uploadBody } from './upload-body.ts'

/** Uploads, downloads and delete markers. */
export const transferRoutes = defineRoutes({
  name: 'object-transfers',
  uses: { buckets, objects, log },
  endpoints: [uploadObject, downloadObject, deleteObject],
  register(app, { buckets, objects, log }) {
    serveEndpoint(app, uploadObject, async ({ params, query: { key }, request }) => {
      const bucket = requireBucket(buckets, params.name)
      const contentType = request.headers['content-type'] || 'application/octet-stream'
      const length = request.headers['content-length']
      const upload = objects.put({
        bucket: bucket.name,
        key,
        body: uploadBody(request.raw),
        headers: { contentType, system: {}, user: {} },
        ...(length === undefined ? {} : { size: Number(length) }),
      })
      const { versionId, etag, size } = await upload.catch(refuseUpload)
      return { key, version_id: versionId, etag, size, content_type: contentType }
    })

    serveEndpoint(app, downloadObject, async ({ params, query: { key, version_id }, reply }) => {
      const bucket = requireBucket(buckets, params.name)
      const opened = await objects.open(bucket.name, key, version_id)
      const { size, etag, headers } = opened.version
      reply.headers(downloadHeaders({ key, contentType: headers.contentType, size, etag }))
      return bytesOf(opened, log)
    })

    serveEndpoint(app, deleteObject, async ({ params, query: { key } }) => {
      const bucket = requireBucket(buckets, params.name)
      const marker = await objects.delete(bucket.name, key)
      return { key, delete_marker_version_id: marker.versionId, deleted_at: formatTime(marker.createdAtMs) }
    })
  },
})
