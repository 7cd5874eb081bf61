import type { CopyObject, ObjectVersion } from '#plugins/storage'
import { copyResultDocument } from '../../documents/copy-result.ts'
import { readChecksumAlgorithm } from '../../wire/checksums.ts'
import type { Headers } from '../../wire/headers.ts'
import { readObjectHeaders } from '../../wire/object-headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { readTaggingHeader, type Tags } from '../../wire/tags.ts'
import { refuseCustomerKeys, refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { type ObjectRequest, type Operation, xmlAnswer } from '../operation.ts'
import { readWrittenAccess, recorded } from '../written-access.ts'
import { copiedChecksums } from './copied-checksums.ts'
import { copySourceHeaders, findCopySource, readDirective } from './copy-source.ts'
import { addExpiry } from './expiry-header.ts'
import { readWriteCondition } from './write-condition.ts'

type Source = Awaited<ReturnType<typeof findCopySource>>
type NewHeaders = NonNullable<CopyObject['headers']>

const redirect = 'x-amz-website-redirect-location'

/** Makes the bytes of an existing version a new version of another or the same key. No bytes pass the client. */
export const copyObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const { bucket, key, headers } = request
    refuseUnsupportedObjectHeaders(headers, services.settings)
    const access = readWrittenAccess(request, services)
    refuseCustomerKeys(headers, 'x-amz-copy-source-server-side-encryption-customer-algorithm')
    const directive = readDirective(headers, 'x-amz-metadata-directive')
    const tagging = readDirective(headers, 'x-amz-tagging-directive')
    const newTags = readTaggingHeader(headers)
    const algorithm = readChecksumAlgorithm(headers)
    const source = await findCopySource(request, services)
    if (directive === 'COPY' && tagging === 'COPY') refuseUnchanged(request, source)
    const tags = (tagging === 'REPLACE' ? newTags : await readableTags(request, source)) ?? {}
    const condition = await readWriteCondition(request)
    condition?.(await services.objects.find(bucket, key))
    await services.storageLimits.refuseEarly(bucket, source.version.size)
    const signal = request.clientSignal()
    const checksums = await copiedChecksums(source, algorithm, { services, signal })
    const { version } = await services.objects.copy({
      // The version that was found, also when another one became current.
      source: { bucket: source.bucket, key: source.key, versionId: source.version.versionId },
      target: { bucket, key },
      headers: { ...(directive === 'REPLACE' ? replacedHeaders(headers) : copiedHeaders(headers, source.version)), tags },
      checksums,
      signal,
      ...(condition && { condition }),
      record: recorded(bucket, access, services),
    })
    const result = { etag: version.etag, lastModifiedMs: version.createdAtMs, checksums: version.headers.checksums }
    const answered: Record<string, string> = { ...copySourceHeaders(source), 'x-amz-version-id': version.versionId }
    await addExpiry(answered, services, { bucket, version })
    return xmlAnswer(copyResultDocument.write(result), answered)
  },
}

/** Tags of the source to copy. Throws AccessDenied when it has tags that the caller may not read. */
async function readableTags({ require }: ObjectRequest, { bucket, key, versionId, version }: Source): Promise<Tags> {
  const { tags = {} } = version.headers
  if (Object.keys(tags).length > 0)
    await require(versionId === undefined ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging', { bucket, key, versionId })
  return tags
}

/** S3 accepts a copy of an object onto itself only with a change. */
function refuseUnchanged({ bucket, key, headers }: ObjectRequest, source: Source): void {
  const isSame = source.bucket.id === bucket.id && source.key === key && source.versionId === undefined
  const changes = ['x-amz-storage-class', redirect, 'x-amz-server-side-encryption', 'x-amz-checksum-algorithm']
  if (!isSame || changes.some((name) => headers.has(name))) return
  throw new S3Error('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, " +
      'website redirect location or encryption attributes.',
  })
}

function replacedHeaders(headers: Headers): NewHeaders {
  const { contentType, system, metadata } = readObjectHeaders(headers)
  return { contentType, system, user: metadata }
}

/** A website redirect is not copied, but may be set. */
function copiedHeaders(headers: Headers, { headers: { contentType, system, user } }: ObjectVersion): NewHeaders {
  const { [redirect]: _copied, ...kept } = system
  const target = headers.get(redirect)
  return { contentType, system: target ? { ...kept, [redirect]: target } : kept, user }
}
