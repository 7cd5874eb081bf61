import type { Params, Reader, Tx } from '#kernel'
import { type AtContent, statement } from '../entities/tables.ts'
import { type BlobRef, blobsOfContent, deleteEntry } from './cache-entry-store.ts'
import { hasEnoughCopies, releasableNow } from './releasable-store.ts'

const claim = statement((db, { contentId }: AtContent) =>
  db
    .updateTable('cache_entries as e')
    .set({ state: 'evicting' })
    .where('e.content_id', '=', contentId)
    .where('e.state', '=', 'present')
    .where('e.releasable', '=', 1)
    .where(hasEnoughCopies()),
)

const cancel = statement((db, { contentId, mayRelease }: AtContent<{ mayRelease: number }>) =>
  db
    .updateTable('cache_entries as e')
    .set({ state: 'present', releasable: releasableNow() })
    .where('e.content_id', '=', contentId)
    .where('e.state', '=', 'evicting')
    .where((row) => row.or([row.not(hasEnoughCopies()), row(mayRelease, '=', 0)]))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('contents as c').select('c.id').whereRef('c.id', '=', 'e.content_id').where('c.state', '=', 'live')),
    ),
)

const release = statement((db, { contentId }: AtContent) =>
  db.updateTable('cache_entries').set({ state: 'evicting', releasable: 0 }).where('content_id', '=', contentId),
)

const releaseAll = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.updateTable('cache_entries').set({ state: 'evicting', releasable: 0 }).where('content_id', 'in', contentIds),
)

const removeBlobs = statement((db, { blobIds }: Params<{ blobIds: readonly string[] }>) =>
  db.deleteFrom('cache_blobs').where('blob_id', 'in', blobIds),
)

const selectEvictingBlobs = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('cache_entries as e')
    .innerJoin('cache_blobs as b', 'b.content_id', 'e.content_id')
    .select(['e.content_id as contentId', 'b.blob_id as blobId', 'b.epoch', 'b.length'])
    .where('e.content_id', 'in', contentIds)
    .where('e.state', '=', 'evicting')
    .orderBy('e.content_id')
    .orderBy('b.ordinal'),
)

const evictingAfter = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom('cache_entries')
    .select('content_id as id')
    .where('state', '=', 'evicting')
    .where('content_id', '>', after)
    .orderBy('content_id')
    .limit(limit),
)

/**
 * Claims the entry for removal if it is present and releasable now (I-02). The copies are counted again, because `releasable` is stale
 * for a while after the bucket's minimum was raised. Returns the entry's files, or undefined.
 */
export async function beginEviction(tx: Tx, contentId: number): Promise<readonly BlobRef[] | undefined> {
  return (await tx.run(claim, { contentId })).changes === 1 ? blobsOfContent(tx, contentId) : undefined
}

/**
 * Makes an `evicting` entry `present` again when the content has versions and, since the eviction began, has too few copies or is guarded
 * (I-02). Returns whether it did.
 */
export async function cancelEvictionIfNeeded(tx: Tx, contentId: number, mayRelease: boolean): Promise<boolean> {
  return (await tx.run(cancel, { contentId, mayRelease: mayRelease ? 1 : 0 })).changes === 1
}

/** Marks the entry of a content without versions for removal, regardless of its copies. Its bytes are no longer served. */
export async function releaseEntry(tx: Tx, contentId: number): Promise<void> {
  await tx.run(release, { contentId })
}

/** Does for many contents what releaseEntry does for one. */
export async function releaseEntries(tx: Tx, contentIds: readonly number[]): Promise<void> {
  if (contentIds.length > 0) await tx.run(releaseAll, { contentIds })
}

/**
 * Call after the files are unlinked. Returns the bytes by which the cache shrank; 0 when new bytes were cached since the eviction began, or
 * another task finished the same eviction.
 */
export async function finishEviction(tx: Tx, contentId: number, blobs: readonly BlobRef[]): Promise<number> {
  await tx.run(removeBlobs, { blobIds: blobs.map(({ blobId }) => blobId) })
  // Entries of any state: an entry without files must not exist.
  return (await blobsOfContent(tx, contentId)).length === 0 ? deleteEntry(tx, contentId) : 0
}

/** The files of the `evicting` entries among these contents, by content id. They are never served again. */
export async function evictingBlobs(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, readonly BlobRef[]>> {
  return Map.groupBy(await read.all(selectEvictingBlobs, { contentIds }), ({ contentId }) => contentId)
}

/** Contents whose eviction began and did not finish, at most `limit`, in order of id. */
export async function evictingContents(read: Reader, page: { readonly after: number; readonly limit: number }): Promise<number[]> {
  return (await read.all(evictingAfter, page)).map(({ id }) => id)
}
