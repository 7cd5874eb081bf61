/** Admin API endpoints of open multipart uploads, whose parts take room in the cache. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'

const bucketPath = type({ name: 'string' })
const count = 'number.integer'
const someText = plainText.and('string > 0')

export const listOpenUploads = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/uploads',
  summary: 'List the open multipart uploads of a bucket, by key',
  params: bucketPath,
  /** The markers are those of the page before. */
  query: type({ 'key_marker?': someText, 'upload_marker?': someText }),
  answer: type({
    uploads: type({
      key: 'string',
      upload_id: 'string',
      /** Owner ID; null: the internal root account. */
      initiator: 'string | null',
      created_at: 'string',
      /** Counts of the first 1,000 parts; `parts_exceed`: there are more. */
      parts: count,
      bytes: count,
      parts_exceed: 'boolean',
    }).array(),
    has_more: 'boolean',
    'next_key_marker?': 'string',
    'next_upload_marker?': 'string',
  }),
  refusals: ['bucket_not_found'],
})

export const abortOpenUpload = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/uploads/abort',
  role: 'operator',
  summary: 'Abort an open multipart upload and remove its parts',
  audit: ['key', 'upload_id'],
  params: bucketPath,
  body: type({ key: someText.and('string <= 1024'), upload_id: someText }),
  bytesMax: 16 * 1024,
  status: 204,
  refusals: ['bucket_not_found', 'upload_not_found', 'invalid_key'],
})
