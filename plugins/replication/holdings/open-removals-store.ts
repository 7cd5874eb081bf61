import type { Tx } from '#kernel'

/** Use this exact text in every query of open removals: SQLite uses a partial index only if the query has its condition. */
export const isOpen = `state not in ('removed', 'data_set_ended')`

/** Ends all open removals of a lost data set. */
export async function endRemovals(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  tx.run(`update removals set state = 'data_set_ended', updated_at = ? where data_set_id = ? and ${isOpen}`, nowMs, dataSetId)
}
