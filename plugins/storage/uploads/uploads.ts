import { newUlid } from '#kernel'
import { pageOfParts } from '../catalog/uploads/upload-part-store.ts'
import { findUpload, insertUpload, type StoredUpload, type UploadKey } from '../catalog/uploads/upload-store.ts'
import { parseParts, partsTextOf } from '../catalog/versions/version-parts-store.ts'
import type { CreateUpload, PartPage, Upload, UploadPlace, Uploads } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { type Announcer, announced } from '../events/announced.ts'
import { locate } from '../objects/open-object.ts'
import { requireKey } from '../objects/put-object.ts'
import { type CompleteDeps, completeUpload } from './complete-upload.ts'
import { type CopyPartDeps, copyPart } from './copy-part.ts'
import { abortUpload, type EndDeps, expireUploads } from './end-upload.ts'
import { listUploads } from './list-uploads.ts'
import { putPart, uploadNotFound } from './put-part.ts'

type UploadDeps = CompleteDeps & CopyPartDeps & EndDeps & Announcer

export function createUploads(deps: UploadDeps): Uploads {
  const { database, buckets } = deps
  const keyOf = ({ bucket, key, uploadId }: UploadPlace): UploadKey => ({ bucketId: buckets.require(bucket).id, key, uploadId })
  return {
    create: (upload) => createUpload(deps, upload),
    async find(place) {
      return openOnly(await findUpload(database.read, keyOf(place)))
    },
    putPart: (part) => putPart(deps, part),
    copyPart: (part) => copyPart(deps, part),
    list: ({ bucket, ...request }) => listUploads(database.read, buckets.require(bucket).id, request),
    listParts: (request) => listParts(deps, keyOf(request), request),
    complete: (request) => announced(deps, request.bucket, completeUpload(deps, request)),
    abort: (place) => abortUpload(deps, place),
    async partsOf(place) {
      const { version } = await locate(deps, buckets.require(place.bucket).id, place)
      return parseParts(await partsTextOf(database.read, version.versionId))
    },
    expire: (idleSinceMs, signal) => expireUploads(deps, idleSinceMs, signal),
  }
}

async function createUpload(
  { database, buckets, clock }: Pick<UploadDeps, 'database' | 'buckets' | 'clock'>,
  { bucket: wanted, record, ...request }: CreateUpload,
): Promise<Upload> {
  const bucket = buckets.require(wanted)
  requireKey(request.key)
  const nowMs = clock.now()
  const upload: Upload = { ...request, id: newUlid(nowMs), bucketId: bucket.id, createdAtMs: nowMs }
  await database.write(async (tx) => {
    if (!(await insertUpload(tx, upload))) throw storageErrors.bucket_not_found({ message: `bucket '${bucket.name}' was deleted` })
    await record?.(tx, upload)
  })
  return upload
}

async function listParts(
  { database }: Pick<UploadDeps, 'database'>,
  of: UploadKey,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<PartPage> {
  return await database.snapshot(async (read) => {
    const upload = openOnly(await findUpload(read, of))
    if (!upload) throw uploadNotFound(of.uploadId)
    const rows = await pageOfParts(read, of.uploadId, after, limit + 1)
    const parts = rows.slice(0, limit).map(({ sha256: _, blobId: _blob, ...part }) => part)
    return { upload, parts, isTruncated: rows.length > limit }
  })
}

function openOnly(stored: StoredUpload | undefined): Upload | undefined {
  if (!stored || stored.completed) return undefined
  const { completed: _, ...upload } = stored
  return upload
}
