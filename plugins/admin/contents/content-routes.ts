import { defineRoutes, log, serveEndpoint } from '#kernel'
import { type Bucket, buckets, type ObjectVersion, objects } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import { adminErrors } from '../errors.ts'
import { bytesOf } from '../objects/bytes-of.ts'
import { contentDisposition } from '../objects/download-headers-policy.ts'
import { objectMetadata, previewContent } from './content-api.ts'
import { type Preview, previewOf } from './preview-policy.ts'
import { readRange } from './read-range-policy.ts'

/** Nothing in the document runs, loads or is embedded elsewhere. Chromium shows no PDF in a sandbox; its viewer is a document of its own. */
const noRights = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const policyOf = ({ kind }: Preview) =>
  kind === 'pdf' ? `${noRights}; object-src 'self'; style-src 'unsafe-inline'` : `sandbox; ${noRights}`

const pairsOf = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([name, value]) => ({ name, value }))

export const contentRoutes = defineRoutes({
  name: 'object-contents',
  uses: { buckets, objects, log },
  endpoints: [objectMetadata, previewContent],
  register(app, { buckets, objects, log }) {
    async function requireVersion(
      bucket: Bucket,
      { key, version_id: versionId }: typeof objectMetadata.query.infer,
    ): Promise<ObjectVersion> {
      const version = await objects.find(bucket, key, versionId)
      if (!version) throw adminErrors.version_not_found()
      if (version.isDeleteMarker) throw adminErrors.object_is_delete_marker()
      return version
    }

    serveEndpoint(app, objectMetadata, async ({ params, query }) => {
      const version = await requireVersion(requireBucket(buckets, params.name), query)
      const { contentType, system, user, tags = {}, checksums } = version.headers
      const preview = previewFor(version)
      return {
        version_id: version.versionId,
        content_type: contentType,
        headers: pairsOf(system),
        metadata: pairsOf(user),
        tags: pairsOf(tags),
        checksums: pairsOf(checksums),
        ...(preview && { preview: { kind: preview.kind, bytes: preview.bytes } }),
      }
    })

    serveEndpoint(app, previewContent, async ({ params, query, request, reply }) => {
      const bucket = requireBucket(buckets, params.name)
      const version = await requireVersion(bucket, query)
      const preview = previewFor(version)
      if (!preview) throw adminErrors.preview_unavailable()
      const range = readRange(request.headers.range, preview.bytes)
      if (range === 'unsatisfiable') throw adminErrors.range_unsatisfiable()
      const { start, end } = range ?? { start: 0, end: preview.bytes - 1 }
      reply.headers({
        'content-type': preview.type,
        'content-length': String(end - start + 1),
        'content-disposition': contentDisposition(version.key).replace(/^attachment/, 'inline'),
        'content-security-policy': policyOf(preview),
        'accept-ranges': 'bytes',
        ...(range && { 'content-range': `bytes ${start}-${end}/${preview.bytes}` }),
      })
      if (range) reply.code(206)
      // A range of nothing cannot be read.
      if (preview.bytes === 0) return ''
      return bytesOf(await objects.open(bucket, version.key, version.versionId), log, { start, end })
    })
  },
})

const previewFor = ({ key, size, headers }: ObjectVersion) =>
  previewOf({ key, size, contentType: headers.contentType, contentEncoding: headers.system['content-encoding'] })
