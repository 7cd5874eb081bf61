import { isDeepStrictEqual } from 'node:util'
import { SvcError } from '#kernel'
import { type BucketAccess, hasAccessLists, withGrants } from '../../access/access-rules-policy.ts'
import { createBucketDocument } from '../../documents/create-bucket-configuration.ts'
import { rootOwnerId } from '../../users/owner-id.ts'
import { readAccessHeaders } from '../../wire/access-headers.ts'
import { isPrivate, privateList } from '../../wire/access-list-policy.ts'
import type { Headers } from '../../wire/headers.ts'
import { type ObjectOwnership, objectOwnerships, readOwnership } from '../../wire/object-ownership.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { bucketTagsMax, checkTags, type Tags } from '../../wire/tags.ts'
import { refuseUnsupportedBucketHeaders } from '../../wire/unsupported-headers.ts'
import { readList, requirePublicAllowed } from '../access-control.ts'
import { tagsSetting } from '../configuration/bucket-tagging.ts'
import { type NamedBucketRequest, type Operation, requireBucket, type S3Services } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

/** Creates a bucket owned by the caller. Succeeds when the caller already owns it with the same access, so that retries succeed. */
export const createBucket: Operation = {
  scope: 'bucket-name',
  async run(request, services) {
    const { bucketName } = request
    const { accessLists, bucketSettings, buckets } = services
    refuseUnsupportedBucketHeaders(request.headers)
    const access = readAccess(request, services)
    const tags = await readTags(request, services.settings.region)
    const isNew = !isOwned(request, services) && (await createOrAdopt(request, services))
    const bucket = requireBucket(buckets, bucketName)
    if (!isNew) requireSameAccess(accessLists.accessOf(bucket), access, bucketName)
    // They have transactions of their own: a client that repeats the request after a failure sets the tags then, and the bucket is private until then.
    else if (access.grants !== undefined || access.ownership !== undefined) await accessLists.changeBucket(bucket, () => access)
    if (tags !== undefined) await bucketSettings.set(bucket, tagsSetting, tags)
    return { status: 200, headers: { location: `/${bucketName}`, 'x-amz-bucket-arn': `arn:aws:s3:::${bucketName}` } }
  },
}

async function createOrAdopt(request: NamedBucketRequest, services: S3Services): Promise<boolean> {
  const { bucketName: name, caller } = request
  try {
    await services.buckets.create({ name, ownerAccessKey: caller?.accessKey ?? null, record: services.storageLimits.checkBucket })
    return true
  } catch (error) {
    // A concurrent request of the same caller created the bucket.
    if (error instanceof SvcError && error.code === 'bucket_exists' && isOwned(request, services)) return false
    throw error
  }
}

/** Throws BucketAlreadyExists for a bucket of another owner. */
function isOwned({ bucketName, caller }: NamedBucketRequest, { buckets }: S3Services): boolean {
  const existing = buckets.find(bucketName)
  if (existing === undefined) return false
  if (existing.ownerAccessKey === caller?.accessKey) return true
  throw new S3Error('BucketAlreadyExists', { extras: { BucketName: bucketName } })
}

/** Reads the headers. Throws InvalidArgument, InvalidBucketAclWithObjectOwnership, or AccessDenied for a public list that the operator does not allow. */
function readAccess({ headers, caller }: NamedBucketRequest, services: S3Services): BucketAccess {
  const { settings } = services
  const ownership = readOwnershipHeader(headers)
  const sent = readAccessHeaders(headers)
  const access: BucketAccess = ownership === undefined ? {} : { ownership }
  if (sent === undefined) return access
  const owner = caller?.ownerId ?? rootOwnerId
  const grants = readList(sent, { owner, bucketOwner: owner }, services)
  if (isPrivate(grants)) return access
  if (!hasAccessLists(access, settings)) throw new S3Error('InvalidBucketAclWithObjectOwnership')
  requirePublicAllowed(grants, settings)
  return withGrants(access, grants)
}

function readOwnershipHeader(headers: Headers): ObjectOwnership | undefined {
  const name = headers.get('x-amz-object-ownership')
  const ownership = name === undefined ? undefined : readOwnership(name)
  if (name === undefined || ownership !== undefined) return ownership
  throw invalidArgument('x-amz-object-ownership', name, `The object ownership must be one of ${objectOwnerships.join(', ')}.`)
}

/** Throws BucketAlreadyOwnedByYou when the bucket has another list, or another ownership than the requested one. */
function requireSameAccess(current: BucketAccess, requested: BucketAccess, bucketName: string): void {
  const isSameList = isDeepStrictEqual(current.grants ?? privateList, requested.grants ?? privateList)
  if (isSameList && (requested.ownership === undefined || requested.ownership === current.ownership)) return
  throw new S3Error('BucketAlreadyOwnedByYou', { extras: { BucketName: bucketName } })
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
