/** Contents that a replacement moves. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { ItemState } from '../contract/records.ts'
import { endedStatuses } from '../states/replacement-transitions-policy.ts'
import { statement } from '../tables.ts'

export interface Item {
  readonly contentId: number
  readonly state: ItemState
  readonly nextAttemptAtMs: number | null
}

/** Marks a pending item whose failed task must be enqueued again. */
export const retriedAtMs = 0

/** Written by hand, because each engine has its own form for the members of a list. */
const insert = sqlStatement<{ id: number; contentIds: readonly number[] }>({
  sqlite: `insert into replacement_items (replacement_id, content_id, state)
    select :id, c.value, 'pending' from json_each(:contentIds) c where true on conflict do nothing`,
  postgres: `insert into replacement_items (replacement_id, content_id, state)
    select cast(:id as bigint), c, 'pending' from unnest(cast(:contentIds as bigint[])) as c on conflict do nothing`,
})

type Page = { id: number; after: number; states: readonly ItemState[]; limit: number }

const findPage = statement((db, { id, after, states, limit }: Params<Page>) =>
  db
    .selectFrom('replacement_items')
    .select(['content_id as contentId', 'state', 'next_attempt_at as nextAttemptAtMs'])
    .where('replacement_id', '=', id)
    .where('content_id', '>', after)
    .where('state', 'in', states)
    .orderBy('content_id')
    .limit(limit),
)

type Change = { id: number; contentIds: readonly number[]; state: ItemState; nextAttemptAtMs: number | null }

const change = statement((db, { id, contentIds, state, nextAttemptAtMs }: Params<Change>) =>
  db
    .updateTable('replacement_items')
    .set({ state, next_attempt_at: nextAttemptAtMs })
    .where('replacement_id', '=', id)
    .where('content_id', 'in', contentIds),
)

const reset = statement((db, { id }: Params<{ id: number }>) =>
  db
    .updateTable('replacement_items')
    .set({ state: 'pending', next_attempt_at: retriedAtMs })
    .where('replacement_id', '=', id)
    .where('state', '=', 'failed'),
)

const countByState = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('replacement_items')
    .select(({ fn }) => ['state', fn.countAll<number>().as('n')])
    .where('replacement_id', '=', id)
    .groupBy('state'),
)

const findNextRetry = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db
    .selectFrom('replacement_items')
    .select(({ fn }) => fn.min('next_attempt_at').as('atMs'))
    .where('replacement_id', '=', id)
    .where('state', '=', 'retrying')
    .where('next_attempt_at', '>', nowMs),
)

const removeSome = statement((db, { id, limit }: Params<{ id: number; limit: number }>) =>
  db
    .deleteFrom('replacement_items')
    .where('replacement_id', '=', id)
    .where('content_id', 'in', (items) =>
      items.selectFrom('replacement_items').select('content_id').where('replacement_id', '=', id).orderBy('content_id').limit(limit),
    ),
)

/** The condition of the partial index. */
const findNeeded = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('replacement_items as i')
    .innerJoin('replacements as r', 'r.id', 'i.replacement_id')
    .select('r.id')
    .where('i.content_id', '=', contentId)
    .where('i.state', 'not in', ['copied', 'no_longer_needed'])
    .where('r.status', 'not in', endedStatuses)
    .limit(1),
)

/** Whether a replacement that is not finished must still copy the content. */
export const isBeingMoved = async (read: Reader, contentId: number): Promise<boolean> =>
  (await read.get(findNeeded, { contentId })) !== undefined

/** Adds those that are not there yet. */
export async function addItems(tx: Tx, id: number, contentIds: readonly number[]): Promise<void> {
  if (contentIds.length > 0) await tx.run(insert, { id, contentIds })
}

/** Items in these states by content, after this one. */
export const pageOfItems = (read: Reader, page: Page): Promise<readonly Item[]> => read.all(findPage, page)

export async function changeItems(tx: Tx, changes: Change): Promise<void> {
  if (changes.contentIds.length > 0) await tx.run(change, changes)
}

export async function retryFailedItems(tx: Tx, id: number): Promise<void> {
  await tx.run(reset, { id })
}

export async function countItems(read: Reader, id: number): Promise<ReadonlyMap<ItemState, number>> {
  return new Map((await read.all(countByState, { id })).map(({ state, n }) => [state, n]))
}

/** When the next retry of an item is due, if that is later than now. */
export const nextRetryOf = async (read: Reader, id: number, nowMs: number): Promise<number | null> =>
  (await read.get(findNextRetry, { id, nowMs }))?.atMs ?? null

/** Deletes a page of items. Returns how many there were. */
export const removeItems = async (tx: Tx, id: number, limit: number): Promise<number> => (await tx.run(removeSome, { id, limit })).changes
