import type { Upload, UploadPlace } from '#plugins/storage'
import { ownerId } from '../../users/owner-id.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { BucketRequest, ObjectRequest, S3Services } from '../operation.ts'

/** The upload that the request names; it may not exist. */
export function placeOf({ bucket, key, query }: ObjectRequest): UploadPlace {
  return { bucket: bucket.name, key, uploadId: query.get('uploadId') ?? '' }
}

/** Throws NoSuchUpload. */
export async function requireUpload(request: ObjectRequest, { uploads }: S3Services): Promise<Upload> {
  const place = placeOf(request)
  const upload = await uploads.find(place)
  if (upload === undefined) throw new S3Error('NoSuchUpload', { extras: { UploadId: place.uploadId } })
  return upload
}

/** For the lists of uploads and of parts. Like other lists, they name the owner of the bucket as the owner. */
export function describeUpload({ initiator, checksumAlgorithm, checksumType }: Upload, { bucket }: BucketRequest) {
  const hasChecksum = checksumAlgorithm !== null && checksumType !== null
  return {
    initiator: ownerId(initiator),
    owner: ownerId(bucket.ownerAccessKey),
    checksum: hasChecksum ? { algorithm: checksumAlgorithm, type: checksumType } : undefined,
  }
}
