import type { Database, Tx } from '#kernel'
import { blobPath } from './blob-folders.ts'
import { type BlobRef, beginEviction, blobsOfContent, evictingContents, finishEviction } from './cache-store.ts'
import { type Disk, isMissing } from './disk.ts'
import type { Capacity } from './reservation.ts'

/** Unfinished evictions looked up at once. */
const pageRows = 100

export interface Evictions {
  readonly database: Database
  readonly disk: Disk
  readonly dir: string
  readonly capacity: Capacity
  readonly signal: AbortSignal
}

/** Row first, then file, then the row is gone: a crash between leaves an `evicting` row, never a row without its file (I-03). */
export async function evictContent(evictions: Evictions, contentId: number, mayEvict?: (tx: Tx) => boolean): Promise<number> {
  const blobs = await evictions.database.write((tx) => {
    if (mayEvict && !mayEvict(tx)) return undefined
    return beginEviction(tx, contentId)
  })
  return blobs ? finish(evictions, contentId, blobs) : 0
}

/** Removes the files of an entry that is `evicting` already. Returns the bytes freed. */
export async function finishContent(evictions: Evictions, contentId: number): Promise<number> {
  return finish(evictions, contentId, blobsOfContent(evictions.database.read, contentId))
}

/** Finishes what an earlier stop began. */
export async function finishEvictions(evictions: Evictions): Promise<void> {
  const { database, signal } = evictions
  let after = 0
  for (let page = evictingContents(database.read, { after, limit: pageRows }); page.length > 0; ) {
    for (const contentId of page) {
      signal.throwIfAborted()
      await finish(evictions, contentId, blobsOfContent(database.read, contentId))
      after = contentId
    }
    page = evictingContents(database.read, { after, limit: pageRows })
  }
}

async function finish({ database, disk, dir, capacity }: Evictions, contentId: number, blobs: readonly BlobRef[]): Promise<number> {
  for (const { blobId, epoch } of blobs) {
    try {
      await disk.unlink(blobPath(dir, blobId, epoch))
    } catch (error) {
      // Gone already: a stop came between the unlink and its commit.
      if (!isMissing(error)) throw error
    }
  }
  const freed = await database.write((tx) => finishEviction(tx, contentId, blobs))
  capacity.release(freed)
  return freed
}
