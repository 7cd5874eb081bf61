import type { Reader, Tx } from '#kernel'
import { rowsThatTake } from '#plugins/wallet'
import { isOpen } from '../holdings/open-removals-store.ts'
import { batchStates, creationStates, removalStates } from '../submissions/row-states-policy.ts'

interface RolledBack {
  readonly dataSetId: number
  /** Contents with copies that are no longer committed. */
  readonly contentIds: readonly number[]
}

/**
 * A confirmed batch is uncertain again: its copies wait for its nonce as after a lost answer, with the same signed bytes. Undefined,
 * without changes, when the batch is not confirmed.
 */
export async function reopenLanding(
  tx: Tx,
  batchId: number,
  why: { readonly message: string; readonly nextCheckAtMs: number; readonly nowMs: number },
): Promise<RolledBack | undefined> {
  const row = tx.get<{ dataSetId: number }>(
    `select data_set_id as "dataSetId" from commit_batches where id = ? and state in (${rowsThatTake(batchStates, 'rolled_back')})`,
    batchId,
  )
  if (!row) return undefined
  // The transaction may land again, so the nonce is kept (I-05). Times and refusals start over: only the sender's later transactions count.
  tx.run(
    `update commit_batches set state = '${batchStates.uncertain}', first_submitted_at = ?, submit_started_at = ?, sender_nonce = null, next_piece_id = null, reason_code = null,
       landed_epoch = null, final_at = null, checks = 0, next_check_at = ?, last_error = ?, updated_at = ? where id = ?`,
    why.nowMs,
    why.nowMs,
    why.nextCheckAtMs,
    why.message,
    why.nowMs,
    batchId,
  )
  const uncertain = `batch_id = ? and state in ('committed', 'unconfirmed')`
  const contentIds = tx.all<{ id: number }>(`select distinct content_id as id from copies where ${uncertain} order by content_id`, batchId)
  // Delete removals without a request: the copy gets another row with its next piece id. Requested ones are kept as records.
  tx.run(
    `delete from removals where ${isOpen} and state = '${removalStates.ready}' and copy_id in (select id from copies where ${uncertain})`,
    batchId,
  )
  tx.run(
    `update removals set state = '${removalStates.closed}', updated_at = ? where ${isOpen}
     and copy_id in (select id from copies where ${uncertain})`,
    why.nowMs,
    batchId,
  )
  tx.run(
    `update copies set state = 'unconfirmed', chain_piece_id = null, committed_at = null, last_error_code = 'reorganised', last_error = ?,
       updated_at = ? where ${uncertain}`,
    why.message,
    why.nowMs,
    batchId,
  )
  return { dataSetId: row.dataSetId, contentIds: contentIds.map(({ id }) => id) }
}

/** Other batches of the data set whose committed copies have one of these recorded piece ids (I-27). */
export async function batchesAtPieces(
  reader: Reader,
  place: { readonly dataSetId: number; readonly pieceIds: readonly bigint[] },
  exceptBatchId: number,
): Promise<readonly number[]> {
  return reader
    .all<{ id: number }>(
      `select distinct batch_id as id from copies where data_set_id = ? and state = 'committed' and batch_id <> ?
         and chain_piece_id in (select value from json_each(?)) order by batch_id`,
      place.dataSetId,
      exceptBatchId,
      JSON.stringify(place.pieceIds.map(String)),
    )
    .map(({ id }) => id)
}

/** The creation is undecided again, with the same signed bytes. False when another writer changed the data set meanwhile. */
export async function reopenCreation(
  tx: Tx,
  dataSet: { readonly id: number; readonly chainId: bigint },
  why: { readonly message: string; readonly nowMs: number },
): Promise<boolean> {
  const { changes } = tx.run(
    `update data_sets set state = '${creationStates.uncertain}', chain_id = null, create_started_at = ?, create_sender_nonce = null, gone_seen_at = null,
       landed_epoch = null, final_at = null, looks = 0, last_error_code = 'reorganised', last_error = ?, updated_at = ?
     where id = ? and chain_id = ? and state in ('ready', 'write_blocked', 'retiring')`,
    why.nowMs,
    why.message,
    why.nowMs,
    dataSet.id,
    dataSet.chainId.toString(),
  )
  return changes === 1
}

/** The creation of a lost data set is no longer on chain: frees its id for another data set. False when it is not lost. */
export async function releaseLostId(tx: Tx, dataSet: { readonly id: number; readonly chainId: bigint }, nowMs: number): Promise<boolean> {
  const { changes } = tx.run(
    `update data_sets set chain_id = null, final_at = ?, updated_at = ? where id = ? and chain_id = ? and state = 'lost'`,
    nowMs,
    nowMs,
    dataSet.id,
    dataSet.chainId.toString(),
  )
  return changes === 1
}

/** Whether batches or parked copies of the data set wait for its id on chain. */
export async function hasWaitingCopies(reader: Reader, dataSetId: number): Promise<boolean> {
  return (
    reader.get(
      `select 1 from commit_batches where data_set_id = ? and state not in ('confirmed', 'closed')
       union all select 1 from copies where data_set_id = ? and state = 'parked' limit 1`,
      dataSetId,
      dataSetId,
    ) !== undefined
  )
}
