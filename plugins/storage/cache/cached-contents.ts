import type { Database, Tx } from '#kernel'
import { blobsOfContent } from '../catalog/cache-entry-store.ts'
import { sha256OfContent } from '../catalog/reference-store.ts'
import type { CachedContents } from '../contract.ts'
import type { Cache } from './cache.ts'

interface CachedContentsDeps {
  readonly cache: Pick<Cache, 'forget' | 'hasFile' | 'pathOf'>
  readonly database: Database
  readonly reconcileCapacity: (tx: Tx) => Promise<void>
}

export function createCachedContents({ cache, database, reconcileCapacity }: CachedContentsDeps): CachedContents {
  return {
    async locate(contentId) {
      const blob = (await blobsOfContent(database.read, contentId))[0]
      if (!blob) return undefined
      const { blobId, length: size } = blob
      if (await cache.hasFile(blob))
        return { path: cache.pathOf(blob), size, sha256: await sha256OfContent(database.read, contentId), blobId }
      await cache.forget(contentId, blob)
      return undefined
    },
    async forget(contentId, { blobId }) {
      const blob = (await blobsOfContent(database.read, contentId)).find((candidate) => candidate.blobId === blobId)
      if (blob) await cache.forget(contentId, blob)
    },
    reconcileCapacity,
  }
}
