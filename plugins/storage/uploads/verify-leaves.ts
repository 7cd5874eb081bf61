import type { Database } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { unreadableContent } from '../cache/verification/whole-read.ts'
import { hasCachedFiles } from '../catalog/cached/cached-content-store.ts'
import { filesOfUpload } from '../catalog/uploads/upload-part-store.ts'
import { storageErrors } from '../errors.ts'
import type { Leaf } from './leaves.ts'

export interface VerifyDeps {
  readonly database: Database
  readonly cache: Pick<Cache, 'check'>
}

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
export async function verifyLeaves(deps: VerifyDeps, { intact, ...completion }: Completion): Promise<void> {
  const { uploadId } = completion
  const files = () => filesOfUpload(deps.database.read, uploadId)
  const replacing = await replacingBlobs(deps, completion)
  if (replacing.size === 0) return
  // A file that is missing here was replaced or completed since, which the commit notices.
  for (const file of await files()) {
    if (!replacing.has(file.blobId) || intact.has(file.blobId)) continue
    const checked = await deps.cache.check(file)
    if (checked.is === 'unreadable') throw unreadableContent(checked.error)
    if (checked.is === 'intact') intact.add(file.blobId)
    else if ((await files()).some(({ blobId }) => blobId === file.blobId)) throw damaged(uploadId, file)
  }
}

/** Ids of the files whose content is cached, or is so when the commit comes to them. */
async function replacingBlobs(
  { database }: Pick<VerifyDeps, 'database'>,
  { bucketId, leaves }: Omit<Completion, 'intact'>,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  const replacing: string[] = []
  for (const { identity, size, segments } of leaves) {
    // The later one of two equal contents replaces the files of the first.
    const isRepeated = seen.has(identity)
    seen.add(identity)
    if (isRepeated || (await hasCachedFiles(database.read, { bucketId, identity, size }))) {
      replacing.push(...segments.map(({ blobId }) => blobId))
    }
  }
  return new Set(replacing)
}

const damaged = (uploadId: string, { partNumber, blobId }: { readonly partNumber: number; readonly blobId: string }) =>
  storageErrors.invalid_part({
    message: `the stored bytes of part ${partNumber} are missing or damaged; upload the part again, then complete the upload`,
    details: { uploadId, partNumber, blob: blobId },
  })
