import { expressionBuilder, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { Holdings, NeededContent } from '../../contract.ts'
import { type AtContent, type StorageTables, statement } from '../entities/tables.ts'

type AtContents<P = Record<never, never>> = Params<P & { contentIds: readonly number[] }>

interface Counted {
  readonly durableCopies: number
  readonly readableCopies: number
  readonly otherState: 'unstored' | 'storing' | 'failed'
  readonly nowMs: number
}

const isNoMember = (id: 'contents.id') => {
  const row = expressionBuilder<StorageTables, 'contents'>()
  return row.not(row.exists(row.selectFrom('pack_members as m').select('m.content_id').whereRef('m.content_id', '=', id)))
}

const setHoldings = statement((db, { contentIds, durableCopies, readableCopies, otherState, nowMs }: AtContents<Counted>) =>
  db
    .updateTable('contents')
    .set((row) => ({
      durable_copies: durableCopies,
      readable_copies: readableCopies,
      updated_at: nowMs,
      store_state: row
        .case()
        .when('target_copies', '<=', durableCopies)
        .then('stored' as const)
        .when(row.and([row('store_state', '=', 'lost'), row(durableCopies, '=', 0)]))
        .then('lost' as const)
        .else(otherState)
        .end(),
    }))
    .where('id', 'in', contentIds)
    // Keepers hold nothing of the others: their state follows that of other contents, or does not depend on copies.
    .where('part_count', '=', 0)
    .where('size', '>', 0)
    .where(isNoMember('contents.id')),
)

const setStoring = statement((db, { contentId, nowMs }: AtContent<{ nowMs: number }>) =>
  db
    .updateTable('contents')
    .set({ store_state: 'storing', updated_at: nowMs })
    .where('id', '=', contentId)
    .where('store_state', '=', 'unstored'),
)

const setLost = statement((db, { contentId }: AtContent) =>
  db
    .updateTable('contents')
    .set({ store_state: 'lost' })
    .where('id', '=', contentId)
    .where('readable_copies', '=', 0)
    .where('state', '=', 'live'),
)

const setAllLost = statement((db, { contentIds, nowMs }: AtContents<{ nowMs: number }>) =>
  db
    .updateTable('contents')
    .set({ store_state: 'lost', updated_at: nowMs })
    .where('id', 'in', contentIds)
    .where('readable_copies', '=', 0)
    .where('durable_copies', '=', 0)
    .where('state', '=', 'live')
    // The bytes of the others are those of other contents.
    .where('part_count', '=', 0)
    .where('size', '>', 0)
    .where(isNoMember('contents.id'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('cache_entries as e')
            .select('e.content_id')
            .whereRef('e.content_id', '=', 'contents.id')
            .where('e.state', '=', 'present'),
        ),
      ),
    ),
)

const setFound = statement((db, { contentId }: AtContent) =>
  db.updateTable('contents').set({ store_state: 'unstored' }).where('id', '=', contentId).where('store_state', '=', 'lost'),
)

const setUnsettled = statement((db, { contentId }: AtContent) =>
  db.updateTable('contents').set({ store_state: 'storing' }).where('id', '=', contentId).where('store_state', '=', 'stored'),
)

/** Uses `case`, because SQLite and PostgreSQL name the greater of two values differently. */
const subtract = statement((db, { contentIds, copies }: AtContents<{ copies: number }>) =>
  db
    .updateTable('contents')
    .set((row) => ({
      durable_copies: row
        .case()
        .when('durable_copies', '>', copies)
        .then(row('durable_copies', '-', copies))
        .else(0)
        .end(),
      readable_copies: row
        .case()
        .when('readable_copies', '>', copies)
        .then(row('readable_copies', '-', copies))
        .else(0)
        .end(),
    }))
    .where('id', 'in', contentIds),
)

const addSeparate = statement((db, { contentId, nowMs }: AtContent<{ nowMs: number }>) =>
  db
    .insertInto('contents')
    .columns(['bucket_id', 'identity', 'size', 'state', 'ref_count', 'target_copies', 'created_at', 'updated_at'])
    .expression((contents) =>
      contents
        .selectFrom('contents')
        .select([
          'bucket_id',
          sql<string>`'separated:' || cast(id as text)`.as('identity'),
          'size',
          sql<'deleting'>`'deleting'`.as('state'),
          sql<number>`0`.as('ref_count'),
          'target_copies',
          // PostgreSQL does not infer the type of a parameter in the list of a select.
          sql<number>`cast(${nowMs} as bigint)`.as('created_at'),
          sql<number>`cast(${nowMs} as bigint)`.as('updated_at'),
        ])
        .where('id', '=', contentId),
    )
    .returning('id'),
)

const findOutsideCache = statement((db, { contentIds }: AtContents) =>
  db
    .selectFrom('contents as c')
    .select('c.id')
    .where('c.id', 'in', contentIds)
    .where('c.state', '=', 'deleting')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id'))),
    ),
)

const remove = statement((db, { contentId }: AtContent) =>
  db.deleteFrom('contents').where('id', '=', contentId).returning('bucket_id as bucketId'),
)

/** A place in the index of the contents that are not `stored`. */
export interface UnsettledPlace {
  readonly bucketId: number
  readonly storeState: string
  readonly id: number
}

const unsettledAfter = statement((db, { bucketId, storeState, id, limit }: Params<UnsettledPlace & { limit: number }>) =>
  db
    .selectFrom('contents')
    .select(['bucket_id as bucketId', 'store_state as storeState', 'id'])
    // Repeats the condition of the partial index, otherwise SQLite would not use it.
    .where('store_state', '<>', 'stored')
    .where('part_count', '=', 0)
    .where(isNoMember('contents.id'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('waiting_members as w').select('w.content_id').whereRef('w.content_id', '=', 'contents.id'))),
    )
    .where(sql<boolean>`(bucket_id, store_state, id) > (${bucketId}, ${storeState}, ${id})`)
    .orderBy('bucket_id')
    .orderBy('store_state')
    .orderBy('id')
    .limit(limit),
)

/** The columns of a NeededContent, and the state from which its reason follows. */
export const neededColumns = [
  'id',
  'bucket_id as bucketId',
  'size',
  'target_copies as targetCopies',
  'durable_copies as durableCopies',
  'readable_copies as readableCopies',
  'store_state as storeState',
] as const

const selectLive = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(neededColumns).where('id', '=', contentId).where('state', '=', 'live'),
)

/**
 * Sets the counts of copies and the store states: `lost` remains until there is a durable copy or the bytes are cached again. Contents
 * whose copies change together have equal holdings, so there are few statements.
 */
export async function writeHoldings(tx: Tx, held: ReadonlyMap<number, Holdings>, nowMs: number): Promise<void> {
  const alike = Map.groupBy(held, ([, { durableCopies, readableCopies, progress }]) => `${durableCopies} ${readableCopies} ${progress}`)
  for (const contents of alike.values()) {
    const [, { durableCopies, readableCopies, progress }] = contents[0] as (typeof contents)[number]
    const otherState = progress === 'none' ? 'unstored' : progress
    const contentIds = contents.map(([id]) => id)
    await tx.run(setHoldings, { contentIds, durableCopies, readableCopies, otherState, nowMs })
  }
}

/** Returns whether the content was `unstored`. */
export async function markContentStoring(tx: Tx, contentId: number, nowMs: number): Promise<boolean> {
  return (await tx.run(setStoring, { contentId, nowMs })).changes === 1
}

/** The bytes of a content with versions left the cache: it is lost when no copy can be read (I-20). */
export async function markLostIfUnreadable(tx: Tx, contentId: number): Promise<void> {
  await tx.run(setLost, { contentId })
}

/** The contents that have neither copies nor a file are lost, and with a pack its members that are not cached (I-20). */
export async function markLost(tx: Tx, contentIds: readonly number[], nowMs: number): Promise<void> {
  await tx.run(setAllLost, { contentIds, nowMs })
}

/** Clears the `lost` state of a content whose bytes are in the cache again. */
export async function clearLost(tx: Tx, contentId: number): Promise<void> {
  await tx.run(setFound, { contentId })
}

export async function subtractCopies(tx: Tx, contentIds: readonly number[], copies: number): Promise<void> {
  await tx.run(subtract, { contentIds, copies })
}

/** Inserts a content in state `deleting` with the bucket and size of another. */
export async function insertSeparateContent(tx: Tx, contentId: number, nowMs: number): Promise<number> {
  const added = await tx.get(addSeparate, { contentId, nowMs })
  if (!added) throw new Error(`content ${contentId} does not exist, so no content can be separated from it`)
  return added.id
}

/** Returns those of the contents that are in state `deleting` and have no cached file. */
export async function deletedOutsideCache(read: Reader, contentIds: readonly number[]): Promise<readonly number[]> {
  return (await read.all(findOutsideCache, { contentIds })).map(({ id }) => id)
}

/** Returns the id of its bucket. */
export async function deleteContent(tx: Tx, contentId: number): Promise<number | undefined> {
  return (await tx.get(remove, { contentId }))?.bucketId
}

/** A keeper that is not attached missed a new version of the content: it stays among the unsettled ones until that keeper knows it. */
export async function unsettle(tx: Tx, contentId: number): Promise<void> {
  await tx.run(setUnsettled, { contentId })
}

/** The next contents that are not `stored`, with versions or without. Keepers know parts and packs, not composites, members and waiting contents. */
export async function pageOfUnsettled(
  read: Reader,
  { after, limit }: { readonly after: UnsettledPlace; readonly limit: number },
): Promise<readonly UnsettledPlace[]> {
  return read.all(unsettledAfter, { ...after, limit })
}

/** A content with versions, as a keeper that missed it must see it. */
export async function findMissed(read: Reader, contentId: number): Promise<(NeededContent & { readonly isLost: boolean }) | undefined> {
  const row = await read.get(selectLive, { contentId })
  if (!row) return undefined
  const { storeState, ...content } = row
  return { ...content, reason: storeState === 'stored' ? 'stored' : 'missed', isLost: storeState === 'lost' }
}
