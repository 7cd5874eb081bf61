/** @walk removal 5: records the removal of each committed copy */
import { type Expression, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { isOpenRow } from '#plugins/wallet'
import { unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { batchStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'
import { endedRemovalStates } from './open-removals-store.ts'

type ContentParams = Params<{ contentId: number }>

const findDeleting = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.selectFrom('contents').select('id').where('id', 'in', contentIds).where('state', '=', 'deleting').forUpdate(),
)

const add = statement((db, { contentIds, nowMs }: Params<{ contentIds: readonly number[]; nowMs: number }>) =>
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
        .where('c.content_id', 'in', contentIds)
        .where('c.state', '=', 'committed'),
    )
    .onConflict((conflict) => conflict.columns(['data_set_id', 'chain_piece_id']).where('state', 'not in', endedRemovalStates).doNothing()),
)

/** PostgreSQL does not infer the type of a parameter in the list of a select. */
const bigint = (value: Expression<number>) => sql<number>`cast(${value} as bigint)`

const findDataSets = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('removals as r', (join) =>
      join.onRef('r.data_set_id', '=', 'c.data_set_id').onRef('r.chain_piece_id', '=', 'c.chain_piece_id'),
    )
    .select('r.data_set_id as id')
    .distinct()
    .where('c.content_id', 'in', contentIds)
    .where('r.state', 'not in', endedRemovalStates)
    .where('r.state', '=', 'pending')
    .orderBy('r.data_set_id'),
)

const findOpen = statement((db, { contentId }: ContentParams) =>
  db
    .selectFrom('copies as c')
    .leftJoin('commit_batches as b', 'b.id', 'c.batch_id')
    .select(['c.data_set_id as dataSetId', 'c.state', 'b.state as batchState'])
    .where('c.content_id', '=', contentId)
    .where('c.state', 'in', unsettledStates),
)

/** Contents without versions. */
export async function contentsBeingDeleted(tx: Tx, contentIds: readonly number[]): Promise<readonly number[]> {
  return (await tx.all(findDeleting, { contentIds })).map(({ id }) => id)
}

/** Each committed copy of the contents gets a removal. */
export async function addRemovals(tx: Tx, contentIds: readonly number[], nowMs: number): Promise<void> {
  await tx.run(add, { contentIds, nowMs })
}

/** Data sets with pieces of the contents that are to be removed. */
export async function dataSetsToClean(read: Reader, contentIds: readonly number[]): Promise<readonly number[]> {
  return (await read.all(findDataSets, { contentIds })).map(({ id }) => id)
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
