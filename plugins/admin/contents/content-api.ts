/** Endpoints that show what is in an object and what is recorded with it. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { bucketPath, bucketRefusals, someText } from '../buckets/bucket-api.ts'

const versionQuery = type({ key: someText, 'version_id?': someText })
const pairs = type({ name: 'string', value: 'string' }).array()

export const objectMetadata = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/metadata',
  summary: 'Show headers, metadata, tags and checksums of a version, and whether it has a preview',
  params: bucketPath,
  query: versionQuery,
  answer: type({
    version_id: 'string',
    content_type: 'string',
    /** System headers, such as `cache-control`. */
    headers: pairs,
    /** Names have no `x-amz-meta-`. */
    metadata: pairs,
    tags: pairs,
    /** Base64 by algorithm. */
    checksums: pairs,
    /** Absent: the type has none, or the object is too large. `bytes`: of the beginning. */
    'preview?': { kind: "'text' | 'image' | 'pdf' | 'audio' | 'video'", bytes: 'number.integer' },
  }),
  refusals: [...bucketRefusals, 'version_not_found', 'object_is_delete_marker'],
})

export const previewContent = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/preview',
  summary: 'Show the bytes of an object as text, image, PDF, audio or video, in a document without rights',
  audit: ['key', 'version_id'],
  params: bucketPath,
  query: versionQuery,
  media: '*/*',
  alsoStatus: 206,
  deadlineMs: 'none',
  refusals: [
    ...bucketRefusals,
    'version_not_found',
    'object_is_delete_marker',
    'preview_unavailable',
    'range_unsatisfiable',
    'content_unavailable',
  ],
})
