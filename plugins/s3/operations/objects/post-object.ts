import type { ObjectVersion } from '#plugins/storage'
import { requireField } from '../../auth/form-fields.ts'
import { postResponseDocument } from '../../documents/post-response.ts'
import { taggingDocument } from '../../documents/tagging.ts'
import { percentEncode } from '../../wire/percent-encoding.ts'
import { checkTags, objectTagsMax, readTaggingHeader, type Tags } from '../../wire/tags.ts'
import { requireKey } from '../../wire/target.ts'
import type { BucketRequest, Operation, S3Answer } from '../operation.ts'
import { addExpiry } from './expiry-header.ts'
import { storedHeaders, storeObject } from './put-object.ts'

type Fields = NonNullable<BucketRequest['form']>

/** Stores the file of an upload form as a new version. */
export const postObject: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const fields: Fields = request.form ?? new Map()
    const key = requireKey(requireField(fields, 'key'))
    const version = await storeObject({ ...request, key }, services, readTags(fields) ?? readTaggingHeader(request.headers))
    const headers = storedHeaders(version)
    await addExpiry(headers, services, { bucket: request.bucket, version })
    return successAnswer(request, fields, { version, headers })
  },
}

/** Reads the field `tagging`, an XML document. Throws MalformedXML, InvalidTag or BadRequest. */
function readTags(fields: Fields): Tags | undefined {
  const document = fields.get('tagging')
  return document === undefined ? undefined : checkTags(taggingDocument.parse(Buffer.from(document)), { max: objectTagsMax })
}

interface Stored {
  readonly version: ObjectVersion
  readonly headers: Readonly<Record<string, string>>
}

function successAnswer({ bucket, resourceUrl }: BucketRequest, fields: Fields, { version, headers }: Stored): S3Answer {
  const { key, etag } = version
  const location = `${resourceUrl.replace(/\/$/, '')}/${percentEncode(key, true)}`
  const redirect = redirectOf(fields.get('success_action_redirect'))
  if (redirect !== undefined) {
    const facts = `bucket=${percentEncode(bucket.name)}&key=${percentEncode(key)}&etag=${percentEncode(`"${etag}"`)}`
    redirect.search += redirect.search === '' ? facts : `&${facts}`
    return { status: 303, headers: { ...headers, location: redirect.href, 'content-length': '0' } }
  }
  const status = fields.get('success_action_status')
  if (status === '201') {
    const body = postResponseDocument.write({ location, bucket: bucket.name, key, etag })
    return { status: 201, headers: { ...headers, location, 'content-type': 'application/xml' }, body }
  }
  return { status: status === '200' ? 200 : 204, headers: { ...headers, location } }
}

/** Ignores, as S3, a value that is not a web address. */
function redirectOf(address: string | undefined): URL | undefined {
  // URL.parse alone also accepts `https:host`, which browsers take as relative to the address of the form.
  return address !== undefined && /^https?:\/\/[^/\\]/i.test(address) ? (URL.parse(address) ?? undefined) : undefined
}
