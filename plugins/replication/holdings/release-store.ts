/** @walk removal 5: records the removal of each committed copy */
import { type Expression, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { isOpenRow } from '#plugins/wallet'
import { batchStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'
import { endedRemovalStates } from './open-removals-store.ts'

type OfContent<P = Record<never, never>> = Params<P & { contentId: number }>

const findDeleting = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.selectFrom('contents').select('id').where('id', 'in', contentIds).where('state', '=', 'deleting').forUpdate(),
)

/** Copies outside batches: not on chain, and no longer committed once they are marked. */
const endFree = statement((db, { contentId, nowMs }: OfContent<{ nowMs: number }>) =>
  db
    .updateTable('copies')
    .set({ state: 'removed', updated_at: nowMs })
    .where('content_id', '=', contentId)
    .where((row) =>
      row.or([
        row('state', 'in', ['planned', 'parked', 'failed', 'lost']),
        row.and([row('state', '=', 'transferring'), row('batch_id', 'is', null)]),
      ]),
    ),
)

const addRemovals = statement((db, { contentId, nowMs }: OfContent<{ nowMs: number }>) =>
  db
    .insertInto('removals')
    .columns(['data_set_id', 'chain_piece_id', 'copy_id', 'content_id', 'piece_cid', 'state', 'created_at', 'updated_at'])
    .expression(
      db
        .selectFrom('copies as c')
        .innerJoin('pieces as p', 'p.id', 'c.piece_id')
        .select(['c.data_set_id', 'c.chain_piece_id', 'c.id', 'c.content_id', 'p.piece_cid'])
        .select([sql<'pending'>`'pending'`.as('state'), bigint(nowMs).as('created_at'), bigint(nowMs).as('updated_at')])
        // Committed copies have an id on chain.
        .$narrowType<{ chain_piece_id: string }>()
        .where('c.content_id', '=', contentId)
        .where('c.state', '=', 'committed'),
    )
    .onConflict((conflict) => conflict.columns(['data_set_id', 'chain_piece_id']).where('state', 'not in', endedRemovalStates).doNothing()),
)

/** PostgreSQL does not infer the type of a parameter in the list of a select. */
const bigint = (value: Expression<number>) => sql<number>`cast(${value} as bigint)`

const findDataSets = statement((db, { contentId }: OfContent) =>
  db
    .selectFrom('copies as c')
    .innerJoin('removals as r', (join) =>
      join.onRef('r.data_set_id', '=', 'c.data_set_id').onRef('r.chain_piece_id', '=', 'c.chain_piece_id'),
    )
    .select('r.data_set_id as id')
    .distinct()
    .where('c.content_id', '=', contentId)
    .where('r.state', 'not in', endedRemovalStates)
    .where('r.state', '=', 'pending')
    .orderBy('r.data_set_id'),
)

const findOpen = statement((db, { contentId }: OfContent) =>
  db
    .selectFrom('copies as c')
    .leftJoin('commit_batches as b', 'b.id', 'c.batch_id')
    .select(['c.data_set_id as dataSetId', 'c.state', 'b.state as batchState'])
    .where('c.content_id', '=', contentId)
    .where('c.state', 'in', ['planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention']),
)

/**
 * Releases the copies of deleted contents: copies outside batches end, each committed copy gets a removal row. Copies inside a batch
 * wait for its outcome: call again then. Does nothing for contents with versions. Returns the data sets that have pieces to remove.
 */
export async function releaseCopies(tx: Tx, contentIds: readonly number[], nowMs: number): Promise<readonly number[]> {
  const dataSetIds = new Set<number>()
  for (const { id: contentId } of await tx.all(findDeleting, { contentIds })) {
    await tx.run(endFree, { contentId, nowMs })
    await tx.run(addRemovals, { contentId, nowMs })
    for (const { id } of await tx.all(findDataSets, { contentId })) dataSetIds.add(id)
  }
  return [...dataSetIds]
}

interface OpenCopies {
  /** A submission with one of the copies may still land on chain. */
  readonly isUndecided: boolean
  /** Data sets that pull copies of the content, and data sets that would commit them. */
  readonly pullingInto: readonly number[]
  readonly committingTo: readonly number[]
}

/** The copies of a content that are not settled. */
export async function readOpenCopies(read: Reader, contentId: number): Promise<OpenCopies> {
  const rows = await read.all(findOpen, { contentId })
  const dataSets = (...states: readonly string[]) => rows.flatMap((row) => (states.includes(row.state) ? row.dataSetId : []))
  return {
    isUndecided: rows.some(({ batchState }) => isOpenRow(batchStates, batchState)),
    pullingInto: dataSets('planned', 'transferring'),
    committingTo: dataSets('parked', 'batched'),
  }
}
