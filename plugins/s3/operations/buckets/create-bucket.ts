import { SvcError } from '#kernel'
import { createBucketDocument } from '../../documents/create-bucket-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { refuseUnsupportedBucketHeaders } from '../../wire/unsupported-headers.ts'
import type { NamedBucketRequest, Operation, S3Services } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

const configurationBytesMax = 64 * 1024

/** Creates a bucket owned by the caller. Succeeds when the caller already owns it, so that retries succeed. */
export const createBucket: Operation = {
  scope: 'bucket-name',
  async run(request, services) {
    const { bucketName } = request
    refuseUnsupportedBucketHeaders(request.headers)
    await checkConfiguration(request, services.settings.region)
    if (!isOwned(request, services)) await createOrAdopt(request, services)
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

/** Throws MalformedXML, InvalidLocationConstraint, or NotImplemented for tags. */
async function checkConfiguration(request: NamedBucketRequest, region: string): Promise<void> {
  const configuration = await readXmlBody(request, createBucketDocument, { bytesMax: configurationBytesMax, mayBeEmpty: true })
  if (configuration === undefined) return
  const { locationConstraint = region, tags } = configuration
  if (locationConstraint !== region && locationConstraint !== 'us-east-1') {
    throw new S3Error('InvalidLocationConstraint', {
      message: `The specified location constraint is not valid; the region of this server is ${region}.`,
      extras: { LocationConstraint: locationConstraint },
    })
  }
  if (tags.length > 0) throw new S3Error('NotImplemented', { message: 'Bucket tags are not implemented.' })
}
