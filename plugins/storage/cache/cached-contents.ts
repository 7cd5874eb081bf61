import type { Database, Tx } from '#kernel'
import { type ExpectedBlob, expectedBlobs } from '../catalog/cached/cache-entry-store.ts'
import { countDamaged, keptBlobsOf } from '../catalog/cached/damage-store.ts'
import { type CachedContents, type CachedFile, type CachedSegment, contentErrors } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import type { Cache } from './cache.ts'

/** Evictions and puts of the same bytes remove files between the lookup of their rows and that of the files. */
const lookupsMax = 8
const retryAfterSeconds = 10

interface CachedContentsDeps {
  readonly cache: Pick<Cache, 'settle' | 'locate'>
  readonly database: Database
  readonly reconcileCapacity: (tx: Tx) => Promise<void>
}

export function createCachedContents({ cache, database, reconcileCapacity }: CachedContentsDeps): CachedContents {
  const isDamaged = async (contentId: number) =>
    (await keptBlobsOf(database.read, contentId)).some(({ damagedAtMs }) => damagedAtMs !== null)

  /** The place of each file, or the first file that has none. */
  async function place(blobs: readonly ExpectedBlob[]): Promise<CachedFile | ExpectedBlob> {
    const segments: CachedSegment[] = []
    for (const blob of blobs) {
      const found = await cache.locate(blob)
      if (!found) return blob
      segments.push({ ...found, size: blob.length, sha256: blob.sha256 })
    }
    return { size: segments.reduce((sum, { size }) => sum + size, 0), segments, blobId: blobs[0]?.blobId ?? '' }
  }

  async function settleAll(contentId: number): Promise<void> {
    const blobs = await keptBlobsOf(database.read, contentId)
    // It is not known which of several files was read wrongly.
    for (const blob of blobs) await cache.settle(contentId, blob, { isReview: blobs.length > 1 })
  }

  /** None when the content is not cached, or a file is still damaged. */
  async function intactBlobs(contentId: number): Promise<readonly ExpectedBlob[]> {
    const blobs = await expectedBlobs(database.read, contentId)
    if (blobs.length > 0 || !(await isDamaged(contentId))) return blobs
    await settleAll(contentId)
    return expectedBlobs(database.read, contentId)
  }

  return {
    async locate(contentId) {
      for (let lookup = 0; lookup < lookupsMax; lookup++) {
        const blobs = await intactBlobs(contentId)
        if (blobs.length === 0) return undefined
        const placed = await place(blobs)
        if ('segments' in placed) return placed
        const verdict = await cache.settle(contentId, placed)
        if (verdict === 'damaged') return undefined
        if (verdict === 'unknown') throw unmounted()
      }
      throw contentErrors.content_unavailable({ message: 'the cached files were replaced again and again; retry later', retryAfterSeconds })
    },
    isDamaged,
    countDamaged: () => countDamaged(database.read),
    settle: settleAll,
    reconcileCapacity,
  }
}

const unmounted = (): Error =>
  storageErrors.cache_unavailable({ message: 'the folder of a cached file is missing; mount the disk of cache.dir', retryAfterSeconds })
