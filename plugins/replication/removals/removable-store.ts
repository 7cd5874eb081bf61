import type { Expression, QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import { type ReplicationTables, statement } from '../tables.ts'
import { type Removal, removalColumns, toRemoval } from './removal-store.ts'

const pendingOfLanded = (db: QueryCreator<ReplicationTables>, dataSetId: Expression<number>) =>
  db
    .selectFrom('removals')
    .leftJoin('copies as c', 'c.id', 'removals.copy_id')
    .innerJoin('commit_batches as b', (join) => join.on('b.id', '=', ({ fn }) => fn.coalesce('removals.surplus_batch_id', 'c.batch_id')))
    .where('removals.data_set_id', '=', dataSetId)
    .where('removals.state', 'not in', endedRemovalStates)
    .where('removals.state', '=', 'pending')
    .where('b.state', '=', 'confirmed')

const findUnfinal = statement((db, { dataSetId, limit }: Params<{ dataSetId: number; limit: number }>) =>
  pendingOfLanded(db, dataSetId).select('b.id').distinct().where('b.final_at', 'is', null).orderBy('b.id').limit(limit),
)

const removable = (db: QueryCreator<ReplicationTables>, { dataSetId, limit }: Params<{ dataSetId: number; limit: number }>) =>
  pendingOfLanded(db, dataSetId)
    .select(removalColumns)
    .select('b.id as batchId')
    .where('b.final_at', 'is not', null)
    .orderBy('removals.id')
    .limit(limit)

const findFree = statement((db, page: Params<{ dataSetId: number; limit: number }>) =>
  removable(db, page).where('withheld_task_id', 'is', null),
)

const findWithheld = statement((db, page: Params<{ dataSetId: number; taskId: number; limit: number }>) =>
  removable(db, page).where('withheld_task_id', '=', page.taskId),
)

/** Landed batches that are not final and have pieces with a pending removal. */
export async function unfinalBatchesToRemoveFrom(reader: Reader, dataSetId: number, limit: number): Promise<readonly number[]> {
  return (await reader.all(findUnfinal, { dataSetId, limit })).map(({ id }) => id)
}

export interface RemovableRemoval {
  readonly removal: Removal
  readonly batchId: number
}

/** Pending removals of pieces that are final on chain, oldest first; removals withheld for the retry of this task come last. */
export async function removableRemovals(
  reader: Reader,
  { dataSetId, taskId }: { readonly dataSetId: number; readonly taskId: number },
  limit: number,
): Promise<readonly RemovableRemoval[]> {
  const free = await reader.all(findFree, { dataSetId, limit })
  const withheld = await reader.all(findWithheld, { dataSetId, taskId, limit: limit - free.length })
  return [...free, ...withheld].map(({ batchId, ...row }) => ({ removal: toRemoval(row), batchId }))
}
