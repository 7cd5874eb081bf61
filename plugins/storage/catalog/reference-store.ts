import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { ContentRecord, NeededContent } from '../contract.ts'
import { neededColumns } from './content-state-store.ts'
import { refer } from './content-store.ts'
import { releaseEntry } from './eviction-store.ts'
import { statement } from './tables.ts'

type AtContent<P = Record<never, never>> = Params<P & { contentId: number }>

const subtractReferences = statement((db, { contentId, versions, nowMs }: AtContent<{ versions: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set((row) => ({ ref_count: row('ref_count', '-', versions), updated_at: nowMs }))
    .where('id', '=', contentId),
)

const markDeleting = statement((db, { contentId }: AtContent) =>
  db.updateTable('contents').set({ state: 'deleting' }).where('id', '=', contentId).where('ref_count', '=', 0),
)

const findWithReferences = statement((db, { contentId, most }: AtContent<{ most: number }>) =>
  db.selectFrom('contents').select('id').where('id', '=', contentId).where('ref_count', '<=', most),
)

const lockLive = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(neededColumns).where('id', '=', contentId).where('state', '=', 'live').forUpdate(),
)

const selectReadability = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('contents as c')
    .select(['c.store_state as storeState', 'c.readable_copies as readableCopies'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id').where('e.state', '=', 'present'),
      ).as('isCached'),
    )
    .where('c.id', '=', contentId),
)

const selectContent = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(['bucket_id as bucketId', 'size', 'sha256']).where('id', '=', contentId),
)

const selectIdentity = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(['identity', 'sha256']).where('id', '=', contentId),
)

const deletedAfter = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db.selectFrom('contents').select('id').where('state', '=', 'deleting').where('id', '>', after).orderBy('id').limit(limit),
)

/** The index of contents finds the versions; only they are compared with the prefix. */
const selectKeys = sqlStatement<{ contentId: number; prefix: string; limit: number }, { key: string }>(
  `select distinct key from object_versions
   where content_id = :contentId and substr(key, 1, length(cast(:prefix as text))) = :prefix order by key limit :limit`,
)

/**
 * Call after `versions` versions of a content were deleted. When none is left, marks the content as being deleted, so that no version can
 * attach to it (I-18), and releases its cache entry. Returns whether it did.
 */
export async function dropReferences(tx: Tx, contentId: number, versions: number, nowMs: number): Promise<boolean> {
  await tx.run(subtractReferences, { contentId, versions, nowMs })
  if ((await tx.run(markDeleting, { contentId })).changes === 0) return false
  await releaseEntry(tx, contentId)
  return true
}

/** Whether deleting `versions` versions would leave the content without any. */
export async function isLastReference(read: Reader, contentId: number, versions: number): Promise<boolean> {
  return (await read.get(findWithReferences, { contentId, most: versions })) !== undefined
}

/** Adds a reference to a live content. A `targetCopies` above its target raises it. */
export async function addReference(
  tx: Tx,
  contentId: number,
  version: { readonly targetCopies: number; readonly nowMs: number },
): Promise<NeededContent> {
  const row = await tx.get(lockLive, { contentId })
  if (!row) throw new Error(`content ${contentId} has a version but is not live`)
  return refer(tx, row, version)
}

interface Readability {
  readonly isFailed: boolean
  readonly isCached: boolean
  readonly readableCopies: number
}

/** Whether the bytes of a content are readable, according to its rows. */
export async function findReadability(read: Reader, contentId: number): Promise<Readability> {
  const row = await read.get(selectReadability, { contentId })
  if (!row) return { isFailed: true, isCached: false, readableCopies: 0 }
  const { storeState, isCached, readableCopies } = row
  return { isFailed: storeState === 'failed' || storeState === 'lost', isCached: Number(isCached) === 1, readableCopies }
}

/** SHA-256 of a content in hex, to verify fetched bytes; null if it was never recorded. */
export async function sha256OfContent(read: Reader, contentId: number): Promise<string | null> {
  return (await findContent(read, contentId))?.sha256 ?? null
}

/** Contents in state `deleting`, at most `limit`, in order of id. */
export async function deletedContents(read: Reader, page: { readonly after: number; readonly limit: number }): Promise<number[]> {
  return (await read.all(deletedAfter, page)).map(({ id }) => id)
}

/** What identifies the bytes of a content within a bucket. */
export async function findIdentity(
  read: Reader,
  contentId: number,
): Promise<{ readonly identity: string; readonly sha256: string | null } | undefined> {
  return read.get(selectIdentity, { contentId })
}

export async function findContent(read: Reader, contentId: number): Promise<ContentRecord | undefined> {
  return read.get(selectContent, { contentId })
}

export async function keysOfContent(
  read: Reader,
  contentId: number,
  range: { readonly prefix: string; readonly limit: number },
): Promise<readonly string[]> {
  return (await read.all(selectKeys, { ...range, contentId })).map(({ key }) => key)
}
