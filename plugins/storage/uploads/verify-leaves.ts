import { hasCachedFiles } from '../catalog/cached-content-store.ts'
import { filesOfUpload } from '../catalog/upload-part-store.ts'
import { storageErrors } from '../errors.ts'
import type { ObjectDeps } from '../objects/objects.ts'
import type { Leaf } from './leaves.ts'

interface Completion {
  readonly bucketId: number
  readonly uploadId: string
  readonly leaves: readonly Leaf[]
  /** Ids of the files that were found intact: this adds to them. */
  readonly intact: Set<string>
}

/**
 * Parts may be old, and their files replace the cached files of older objects with the same bytes. Compares such parts with their SHA-256
 * before (I-30). Throws `invalid_part` for a damaged one.
 */
export async function verifyLeaves(deps: ObjectDeps, { bucketId, uploadId, leaves, intact }: Completion): Promise<void> {
  const seen = new Set<string>()
  for (const { identity, size, segments } of leaves) {
    // The later one of two equal contents replaces the files of the first.
    const isRepeated = seen.has(identity)
    seen.add(identity)
    if (!isRepeated && !(await hasCachedFiles(deps.database.read, { bucketId, identity, size }))) continue
    const files = await filesOfUpload(deps.database.read, uploadId)
    for (const { blobId } of segments) {
      const file = files.find((file) => file.blobId === blobId)
      // Replaced or completed meanwhile: the commit notices.
      if (!file || intact.has(blobId)) continue
      if (await deps.cache.isIntact(file)) intact.add(blobId)
      else if ((await filesOfUpload(deps.database.read, uploadId)).some((now) => now.blobId === blobId)) throw damaged(uploadId, file)
    }
  }
}

const damaged = (uploadId: string, { partNumber, blobId }: { readonly partNumber: number; readonly blobId: string }) =>
  storageErrors.invalid_part({
    message: `the stored bytes of part ${partNumber} are missing or damaged; upload the part again, then complete the upload`,
    details: { uploadId, partNumber, blob: blobId },
  })
