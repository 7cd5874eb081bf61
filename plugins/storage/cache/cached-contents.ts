import type { Database, Tx } from '#kernel'
import { blobsOfContent, expectedBlobs } from '../catalog/cache-entry-store.ts'
import type { CachedContents, CachedSegment } from '../contract.ts'
import type { Cache } from './cache.ts'

interface CachedContentsDeps {
  readonly cache: Pick<Cache, 'forget' | 'locate'>
  readonly database: Database
  readonly reconcileCapacity: (tx: Tx) => Promise<void>
}

export function createCachedContents({ cache, database, reconcileCapacity }: CachedContentsDeps): CachedContents {
  return {
    async locate(contentId) {
      const blobs = await expectedBlobs(database.read, contentId)
      const [first] = blobs
      if (!first) return undefined
      const segments: CachedSegment[] = []
      for (const blob of blobs) {
        const place = await cache.locate(blob)
        if (!place) {
          await cache.forget(contentId, blob)
          return undefined
        }
        segments.push({ ...place, size: blob.length, sha256: blob.sha256 })
      }
      return { size: segments.reduce((sum, { size }) => sum + size, 0), segments, blobId: first.blobId }
    },
    async forget(contentId, { blobId }) {
      const blob = (await blobsOfContent(database.read, contentId)).find((candidate) => candidate.blobId === blobId)
      if (blob) await cache.forget(contentId, blob)
    },
    reconcileCapacity,
  }
}
