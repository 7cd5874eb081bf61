import { SvcError } from '#kernel'
import { createBucketDocument } from '../../documents/create-bucket-configuration.ts'
import { ownerId } from '../../users/owner-id.ts'
import { readAccessHeaders } from '../../wire/access-headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { bucketTagsMax, checkTags, type Tags } from '../../wire/tags.ts'
import { refuseUnsupportedBucketHeaders } from '../../wire/unsupported-headers.ts'
import { tagsSetting } from '../configuration/bucket-tagging.ts'
import { type NamedBucketRequest, type Operation, requireBucket, type S3Services } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

/** Creates a bucket owned by the caller. Succeeds when the caller already owns it, so that retries succeed. */
export const createBucket: Operation = {
  scope: 'bucket-name',
  async run(request, services) {
    const { bucketName, headers, caller } = request
    refuseUnsupportedBucketHeaders(headers)
    if (readAccessHeaders(headers, ownerId(caller?.accessKey ?? null)) === 'others') {
      throw new S3Error('InvalidBucketAclWithObjectOwnership')
    }
    const tags = await readTags(request, services.settings.region)
    if (!isOwned(request, services)) await createOrAdopt(request, services)
    // In a transaction of its own: a client that repeats the request after a failure sets the tags then.
    if (tags !== undefined) await services.bucketSettings.set(requireBucket(services.buckets, bucketName), tagsSetting, tags)
    return { status: 200, headers: { location: `/${bucketName}`, 'x-amz-bucket-arn': `arn:aws:s3:::${bucketName}` } }
  },
}

async function createOrAdopt(request: NamedBucketRequest, services: S3Services): Promise<void> {
  const { bucketName: name, caller } = request
  try {
    await services.buckets.create({ name, ownerAccessKey: caller?.accessKey ?? null })
  } catch (error) {
    // A concurrent request of the same caller created the bucket.
    if (!(error instanceof SvcError && error.code === 'bucket_exists' && isOwned(request, services))) throw error
  }
}

/** Throws BucketAlreadyExists for a bucket of another owner. */
function isOwned({ bucketName, caller }: NamedBucketRequest, { buckets }: S3Services): boolean {
  const existing = buckets.find(bucketName)
  if (existing === undefined) return false
  if (existing.ownerAccessKey === caller?.accessKey) return true
  throw new S3Error('BucketAlreadyExists', { extras: { BucketName: bucketName } })
}

/** The tags in the body, or undefined without any. Throws MalformedXML, InvalidLocationConstraint, InvalidTag or BadRequest. */
async function readTags(request: NamedBucketRequest, region: string): Promise<Tags | undefined> {
  const configuration = await readXmlBody(request, createBucketDocument, { mayBeEmpty: true })
  if (configuration === undefined) return undefined
  const { locationConstraint = region, tags } = configuration
  if (locationConstraint !== region && locationConstraint !== 'us-east-1') {
    throw new S3Error('InvalidLocationConstraint', {
      message: `The specified location constraint is not valid; the region of this server is ${region}.`,
      extras: { LocationConstraint: locationConstraint },
    })
  }
  return tags.length === 0 ? undefined : checkTags(tags, { max: bucketTagsMax })
}
