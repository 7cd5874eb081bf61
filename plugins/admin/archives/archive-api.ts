/** Endpoints that download several objects as one ZIP file. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { bucketPath, bucketRefusals } from '../buckets/bucket-api.ts'
import { bulkTargets } from '../bulk/bulk-api.ts'

/** Most objects of an archive. */
export const archivedMax = 10_000

export const prepareArchive = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/archives',
  role: 'read-only',
  summary: 'Prepare a ZIP file of current objects; its download begins within a minute',
  audit: ['objects'],
  params: bucketPath,
  body: type({ targets: bulkTargets }),
  bytesMax: 1024 * 1024,
  answer: type({ ticket: 'string', objects: 'number.integer', bytes: 'string' }),
  deadlineMs: 120_000,
  refusals: [...bucketRefusals, 'archive_empty', 'archive_too_large', 'archives_busy'],
})

export const downloadArchive = defineEndpoint({
  method: 'GET',
  path: '/api/v1/archives/:ticket',
  summary: 'Download a prepared ZIP file, once',
  audit: [],
  params: type({ ticket: 'string' }),
  media: 'application/zip',
  deadlineMs: 'none',
  refusals: ['archive_not_found'],
})
