import { unlink } from 'node:fs/promises'
import { runSql } from '#kernel/testing'
import { isInDatabase } from '../catalog/cached/cache-bytes-store.ts'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import type { ObjectStorage } from './object-storage.ts'

/** Removes the cached bytes of a content behind the cache, which then finds it out. */
export async function loseFiles({ database, cache }: Pick<ObjectStorage, 'database' | 'cache'>, contentId: number): Promise<void> {
  for (const blob of await blobsOfContent(database.read, contentId)) {
    if (isInDatabase(blob)) await database.write((tx) => runSql(tx, 'delete from cache_bytes where content_id = ?', contentId))
    else await unlink(cache.pathOf(blob))
    await cache.settle(contentId, blob)
  }
}
