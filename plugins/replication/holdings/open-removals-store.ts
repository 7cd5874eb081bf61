import type { Params, Tx } from '#kernel'
import { statement } from '../tables.ts'

/** Name exactly these states in every query of open removals: an engine uses a partial index only if the query has its condition. */
export const endedRemovalStates = ['removed', 'data_set_ended'] as const

const end = statement((db, { dataSetId, nowMs }: Params<{ dataSetId: number; nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: 'data_set_ended', updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'not in', endedRemovalStates),
)

/** Ends all open removals of a lost data set. */
export async function endRemovals(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(end, { dataSetId, nowMs })
}
