import type { Reader, Tx } from '#kernel'
import { endRemovals } from '../holdings/open-removals-store.ts'

/** The data set takes no more pieces: unsent copies are lost, unsent batches closed. Sent batches are followed to their end. */
export async function endWrites(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  tx.run(
    "update commit_batches set state = 'closed', attention_at = null, last_error = 'the data set ended', updated_at = ? where data_set_id = ? and state in ('pulling', 'ready')",
    nowMs,
    dataSetId,
  )
  tx.run(
    `update copies set state = 'lost', batch_id = null, updated_at = ? where data_set_id = ? and (state in ('planned', 'parked')
     or (state in ('transferring', 'batched', 'attention') and (batch_id is null or batch_id in (select id from commit_batches where state = 'closed'))))`,
    nowMs,
    dataSetId,
  )
}

/** Contents with a copy on the data set, by id. */
interface AffectedContent {
  readonly id: number
  readonly isCommitted: boolean
}

export async function affectedContents(
  reader: Reader,
  dataSetId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly AffectedContent[]> {
  return reader
    .all<{ id: number; isCommitted: number }>(
      `select content_id as id, max(state = 'committed') as "isCommitted" from copies where data_set_id = ? and content_id > ?
       group by content_id order by content_id limit ?`,
      dataSetId,
      page.after,
      page.limit,
    )
    .map(({ id, isCommitted }) => ({ id, isCommitted: isCommitted === 1 }))
}

/** The data set is lost with its committed copies. */
export async function markCopiesLost(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  tx.run("update copies set state = 'lost', updated_at = ? where data_set_id = ? and state = 'committed'", nowMs, dataSetId)
  // The copies may be deleted from now on and their ids reused: no open removal may refer to one.
  await endRemovals(tx, dataSetId, nowMs)
}
