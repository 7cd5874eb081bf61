import type { Upload, UploadPlace } from '#plugins/storage'
import { rootOwnerId } from '../../users/owner-id.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { ObjectRequest, S3Services } from '../operation.ts'

/** The upload that the request names; it may not exist. */
export function placeOf({ bucket, key, query }: ObjectRequest): UploadPlace {
  return { bucket, key, uploadId: query.get('uploadId') ?? '' }
}

/** Throws NoSuchUpload, or AccessDenied for the upload of another user. */
export async function requireUpload(request: ObjectRequest, { uploads }: S3Services): Promise<Upload> {
  const place = placeOf(request)
  const upload = await uploads.find(place)
  if (upload === undefined) throw new S3Error('NoSuchUpload', { extras: { UploadId: place.uploadId } })
  requireOwnUpload(request, upload)
  return upload
}

/**
 * Others than the owner of the bucket may only continue and end uploads that they created. Throws AccessDenied.
 */
export function requireOwnUpload({ bucket, caller }: ObjectRequest, { initiator }: Pick<Upload, 'initiator'>): void {
  if (caller?.role === 'admin') return
  if (caller !== undefined && (caller.accessKey === bucket.ownerAccessKey || caller.ownerId === initiator)) return
  throw new S3Error('AccessDenied', { message: 'Access Denied: the upload belongs to another user.' })
}

/** For the lists of uploads and of parts. `owners`: users that own uploads, by upload ID; the owner of the bucket owns the others. */
export function describeUpload(upload: Upload, bucketOwner: string, owners: ReadonlyMap<string, string>) {
  const { initiator, checksumAlgorithm, checksumType } = upload
  const hasChecksum = checksumAlgorithm !== null && checksumType !== null
  return {
    initiator: initiator ?? rootOwnerId,
    owner: owners.get(upload.id) ?? bucketOwner,
    checksum: hasChecksum ? { algorithm: checksumAlgorithm, type: checksumType } : undefined,
  }
}
