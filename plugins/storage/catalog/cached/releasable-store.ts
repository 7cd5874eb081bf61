import { expressionBuilder, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { type StorageTables, statement } from '../entities/tables.ts'

type AtContent = Params<{ contentId: number }>

/**
 * Whether the content of entry `e` has the bucket's current minimum of committed copies, and at least one readable (I-02). While the entry
 * awaits proof, the cached bytes are needed to check the piece CID: its copies may hold other bytes, so they do not count (I-30).
 */
export function hasEnoughCopies() {
  const entry = expressionBuilder<StorageTables & { e: StorageTables['cache_entries'] }, 'e'>()
  const copies = entry
    .selectFrom('contents as c')
    .innerJoin('buckets as b', 'b.id', 'c.bucket_id')
    .select('c.id')
    .whereRef('c.id', '=', 'e.content_id')
    .whereRef('c.durable_copies', '>=', 'b.minimum_durable_copies')
    .where('c.readable_copies', '>=', 1)
  return entry.and([entry('e.awaits_proof', '=', 0), entry.exists(copies)])
}

export const releasableNow = () => expressionBuilder().case().when(hasEnoughCopies()).then(1).else(0).end()

const setReleasable = statement((db, { contentId }: AtContent) =>
  db.updateTable('cache_entries as e').set({ releasable: releasableNow() }).where('e.content_id', '=', contentId),
)

type OfContents = Params<{ contentIds: readonly number[] }>

const setAllReleasable = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries as e').set({ releasable: releasableNow() }).where('e.content_id', 'in', contentIds),
)

/** The entries of the members of these packs. */
const membersOf = (contentIds: OfContents['contentIds']) =>
  expressionBuilder<StorageTables>().selectFrom('pack_members as m').select('m.content_id').where('m.pack_id', 'in', contentIds)

const setMembersReleasable = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries as e').set({ releasable: releasableNow() }).where('e.content_id', 'in', membersOf(contentIds)),
)

const findReleasable = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_entries').select('content_id').where('content_id', '=', contentId).where('releasable', '=', 1),
)

const hold = statement((db, { contentId }: AtContent) =>
  db.updateTable('cache_entries').set({ awaits_proof: 1, releasable: 0 }).where('content_id', '=', contentId),
)
const holdMembers = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries').set({ awaits_proof: 1, releasable: 0 }).where('content_id', 'in', membersOf(contentIds)),
)

const endHold = statement((db, { contentId }: AtContent) =>
  db.updateTable('cache_entries').set({ awaits_proof: 0 }).where('content_id', '=', contentId),
)
const endHoldOfMembers = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries').set({ awaits_proof: 0 }).where('content_id', 'in', membersOf(contentIds)),
)

const withhold = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries').set({ releasable: 0 }).where('content_id', 'in', contentIds),
)
const withholdMembers = statement((db, { contentIds }: OfContents) =>
  db.updateTable('cache_entries').set({ releasable: 0 }).where('content_id', 'in', membersOf(contentIds)),
)

interface Page {
  readonly after: number
  readonly limit: number
}

const reviewPage = statement((db, { bucketId, after, limit }: Params<Page & { bucketId: number }>) =>
  db
    .selectFrom((entries) =>
      entries.selectFrom('cache_entries').selectAll().where('content_id', '>', after).orderBy('content_id').limit(limit).as('e'),
    )
    .leftJoin('contents as o', 'o.id', 'e.content_id')
    .select(['e.content_id as id'])
    .select((row) => row.and([row('o.bucket_id', '=', bucketId), row('e.releasable', '<>', releasableNow())]).as('isStale'))
    .orderBy('e.content_id'),
)

const findAnyReleasable = statement((db) =>
  db.selectFrom('cache_entries').select('content_id').where('state', '=', 'present').where('releasable', '=', 1).limit(1),
)

const releasableAfter = statement((db, { accessedAtMs, contentId, limit }: Params<Omit<Candidate, 'bytes'> & { limit: number }>) =>
  db
    .selectFrom('cache_entries')
    .select(['content_id as contentId', 'bytes', 'accessed_at as accessedAtMs'])
    .where('state', '=', 'present')
    .where('releasable', '=', 1)
    .where(sql<boolean>`(accessed_at, content_id) > (${accessedAtMs}, ${contentId})`)
    .orderBy('accessed_at')
    .orderBy('content_id')
    .limit(limit),
)

/** Recomputes whether the cached bytes of a content may be removed. Called in every transaction that changes its copies. */
export async function updateReleasable(tx: Tx, contentId: number): Promise<void> {
  await tx.run(setReleasable, { contentId })
}

/** Decides for the contents and for the members of those that are packs. */
export async function reviewReleasable(tx: Tx, contentIds: readonly number[]): Promise<void> {
  await tx.run(setAllReleasable, { contentIds })
  await tx.run(setMembersReleasable, { contentIds })
}

/** Whether the copies that were counted last are enough to remove the cached bytes. */
export async function isReleasable(read: Reader, contentId: number): Promise<boolean> {
  return (await read.get(findReleasable, { contentId })) !== undefined
}

/** While copies are in doubt, the cached bytes of a content are kept, and those of the members of a pack. */
export async function setHold(tx: Tx, contentId: number, isHeld: boolean): Promise<void> {
  await tx.run(isHeld ? hold : endHold, { contentId })
  await tx.run(isHeld ? holdMembers : endHoldOfMembers, { contentIds: [contentId] })
}

/** Keeps the cached bytes of the contents, and those of the members of packs. */
export async function withholdEntries(tx: Tx, contentIds: readonly number[]): Promise<void> {
  await tx.run(withhold, { contentIds })
  await tx.run(withholdMembers, { contentIds })
}

/** Reads the next entries by content id, of all buckets. `stale`: those of the bucket whose `releasable` is out of date. */
export async function pageOfEntries(
  read: Reader,
  page: Page & { readonly bucketId: number },
): Promise<{ readonly lastId: number | undefined; readonly stale: readonly number[] }> {
  const rows = await read.all(reviewPage, page)
  return { lastId: rows.at(-1)?.id, stale: rows.filter((row) => Number(row.isStale) === 1).map(({ id }) => id) }
}

export async function hasReleasable(read: Reader): Promise<boolean> {
  return (await read.get(findAnyReleasable)) !== undefined
}

/** A content whose cached bytes may be removed. */
export interface Candidate {
  readonly contentId: number
  readonly bytes: number
  readonly accessedAtMs: number
}

/** Least recently read first, after the candidate `after`. */
export async function pageOfReleasable(
  read: Reader,
  { after, limit }: { readonly after: Candidate | undefined; readonly limit: number },
): Promise<readonly Candidate[]> {
  return read.all(releasableAfter, { accessedAtMs: after?.accessedAtMs ?? -1, contentId: after?.contentId ?? -1, limit })
}
