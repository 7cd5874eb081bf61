import type { Reader, Tx } from '#kernel'
import { isOpenRow } from '#plugins/wallet'
import { batchStates } from '../submissions/row-states-policy.ts'

/** Copies outside batches: not on chain, and no longer committed once they are marked. */
const freeCopies = `content_id = ? and (state in ('planned', 'parked', 'failed', 'lost') or (state = 'transferring' and batch_id is null))`

/**
 * Releases the copies of a deleted content: copies outside batches end, each committed copy gets a removal row. Copies inside a batch
 * wait for its outcome: call again then. Does nothing for a content with versions. Returns the data sets that have pieces to remove.
 */
export async function releaseCopies(tx: Tx, contentId: number, nowMs: number): Promise<readonly number[]> {
  if (!tx.get(`select 1 from contents where id = ? and state = 'deleting'`, contentId)) return []
  tx.run(`update copies set state = 'removed', updated_at = ? where ${freeCopies}`, nowMs, contentId)
  tx.run(
    `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, piece_cid, state, created_at, updated_at)
     select c.data_set_id, c.chain_piece_id, c.id, c.content_id, p.piece_cid, 'pending', ?, ? from copies c join pieces p on p.id = c.piece_id
     where c.content_id = ? and c.state = 'committed'
     on conflict (data_set_id, chain_piece_id) where state not in ('removed', 'data_set_ended') do nothing`,
    nowMs,
    nowMs,
    contentId,
  )
  return tx
    .all<{ id: number }>(
      `select distinct r.data_set_id as id from copies c join removals r on r.data_set_id = c.data_set_id and r.chain_piece_id = c.chain_piece_id
       where c.content_id = ? and r.state = 'pending' order by r.data_set_id`,
      contentId,
    )
    .map(({ id }) => id)
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
  const rows = read.all<{ dataSetId: number; state: string; batchState: string | null }>(
    `select c.data_set_id as "dataSetId", c.state, b.state as "batchState" from copies c left join commit_batches b on b.id = c.batch_id
     where c.content_id = ? and c.state in ('planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention')`,
    contentId,
  )
  const dataSets = (...states: readonly string[]) => rows.flatMap((row) => (states.includes(row.state) ? row.dataSetId : []))
  return {
    isUndecided: rows.some(({ batchState }) => isOpenRow(batchStates, batchState)),
    pullingInto: dataSets('planned', 'transferring'),
    committingTo: dataSets('parked', 'batched'),
  }
}
