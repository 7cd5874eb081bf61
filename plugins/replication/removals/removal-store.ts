import type { Reader, Tx } from '#kernel'
import { openRows, rowsThatTake } from '#plugins/wallet'
import { isOpen } from '../holdings/open-removals-store.ts'
import { removalStates } from '../submissions/row-states-policy.ts'

/**
 * pending: not requested · submitting: attempt recorded, outcome open · submitted: the provider returned a transaction hash ·
 * uncertain: only the chain shows the outcome · scheduled: queued on chain, takes effect in the next proving period · removed ·
 * data_set_ended: closed without removal, because the data set ended or a reorganisation undid the addition of the piece.
 */
export type RemovalState = 'pending' | 'submitting' | 'submitted' | 'uncertain' | 'scheduled' | 'removed' | 'data_set_ended'

/** A committed copy of a deleted content. */
export interface Removal {
  readonly id: number
  readonly contentId: number
  readonly copyId: number
  readonly pieceId: bigint
  /** Piece CID that the chain must have under the id before the removal is requested (I-28). */
  readonly pieceCid: string | null
  readonly state: RemovalState
  readonly attemptId: number | null
}

/** One signed request for up to 35 pieces. It has no nonce: its outcome is the state of its pieces on chain. */
export interface RemovalAttempt {
  readonly id: number
  readonly txHash: string | null
  readonly startedAtMs: number
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  readonly checks: number
  /** The task that failed because the attempt stayed unconfirmed: only its retry may send again. */
  readonly attentionTaskId: number | null
}

interface RemovalRow {
  readonly id: number
  readonly content_id: number
  readonly copy_id: number
  readonly chain_piece_id: string
  readonly piece_cid: string | null
  readonly state: RemovalState
  readonly attempt_id: number | null
}

const columns = 'id, content_id, copy_id, chain_piece_id, piece_cid, state, attempt_id'

/** Requested removals that have not ended: few, because a data set takes 35 at a time. */
export async function startedRemovals(reader: Reader, dataSetId: number): Promise<readonly Removal[]> {
  return reader
    .all<RemovalRow>(
      `select ${columns} from removals where data_set_id = ? and ${isOpen}
         and state in (${openRows(removalStates)}, '${removalStates.landed}') order by id`,
      dataSetId,
    )
    .map(toRemoval)
}

/** Pending removals, oldest first. */
export async function pendingRemovals(reader: Reader, dataSetId: number, limit: number): Promise<readonly Removal[]> {
  return reader
    .all<RemovalRow>(
      `select ${columns} from removals where data_set_id = ? and ${isOpen} and state = 'pending' order by id limit ?`,
      dataSetId,
      limit,
    )
    .map(toRemoval)
}

/** Whether there are pending removals that do not wait for an operator. */
export async function hasFreeRemovals(reader: Reader, dataSetId: number): Promise<boolean> {
  const sql = `select 1 from removals where data_set_id = ? and ${isOpen} and state = 'pending' and withheld_task_id is null limit 1`
  return reader.get(sql, dataSetId) !== undefined
}

/** Piece id of a removal that waits for the operator's retry of this task; undefined when there is none. */
export async function withheldPiece(reader: Reader, { dataSetId, taskId }: { readonly dataSetId: number; readonly taskId: number }) {
  return reader.get<{ pieceId: string }>(
    `select chain_piece_id as "pieceId" from removals where withheld_task_id = ? and data_set_id = ? and state = 'pending' order by id limit 1`,
    taskId,
    dataSetId,
  )?.pieceId
}

/** Removals by id, oldest first. */
export async function findRemovals(reader: Reader, ids: readonly number[]): Promise<readonly Removal[]> {
  return reader
    .all<RemovalRow>(`select ${columns} from removals where id in (select value from json_each(?)) order by id`, JSON.stringify(ids))
    .map(toRemoval)
}

async function findAttempt(reader: Reader, id: number): Promise<RemovalAttempt | undefined> {
  return reader.get<RemovalAttempt>(
    `select id, tx_hash as "txHash", started_at as "startedAtMs", sender_nonce as "senderNonce", checks,
       attention_task_id as "attentionTaskId" from removal_attempts where id = ?`,
    id,
  )
}

/** Attempts with removals that have no effect on chain yet. */
export async function openAttempts(reader: Reader, dataSetId: number): Promise<readonly RemovalAttempt[]> {
  const ids = (await startedRemovals(reader, dataSetId)).flatMap(({ state, attemptId }) => (state === 'scheduled' ? [] : (attemptId ?? [])))
  return (await Promise.all([...new Set(ids)].map(async (id) => (await findAttempt(reader, id)) ?? []))).flat()
}

/** Records the attempt before it is sent (I-04). Undefined, without changes, when one of the removals is no longer pending. */
export async function recordAttempt(
  tx: Tx,
  attempt: { readonly dataSetId: number; readonly extraData: string; readonly removals: readonly Removal[]; readonly nowMs: number },
): Promise<number | undefined> {
  const { dataSetId, extraData, removals, nowMs } = attempt
  const isReady = `select 1 from removals where id = ? and state in (${rowsThatTake(removalStates, 'record')})`
  for (const { id } of removals) if (!tx.get(isReady, id)) return undefined
  const { lastId } = tx.run(
    'insert into removal_attempts (data_set_id, extra_data, started_at, updated_at) values (?, ?, ?, ?)',
    dataSetId,
    extraData,
    nowMs,
    nowMs,
  )
  for (const { id } of removals) {
    tx.run(
      `update removals set state = '${removalStates.recorded}', attempt_id = ?, withheld_task_id = null, updated_at = ? where id = ?`,
      lastId,
      nowMs,
      id,
    )
  }
  return lastId
}

/** The provider returned a transaction hash. */
export async function recordSubmitted(
  tx: Tx,
  attemptId: number,
  { txHash, nowMs }: { readonly txHash: string; readonly nowMs: number },
): Promise<void> {
  tx.run('update removal_attempts set tx_hash = ?, updated_at = ? where id = ?', txHash, nowMs, attemptId)
  const sql = `update removals set state = '${removalStates.submitted}', updated_at = ? where attempt_id = ? and state in (${rowsThatTake(removalStates, 'answered_ok')})`
  tx.run(sql, nowMs, attemptId)
}

/** The answer was lost: the chain decides, and nothing is sent meanwhile (I-05). */
export async function recordUncertain(
  tx: Tx,
  attemptId: number,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): Promise<void> {
  tx.run('update removal_attempts set last_error = coalesce(last_error, ?), updated_at = ? where id = ?', message, nowMs, attemptId)
  const sql = `update removals set state = '${removalStates.uncertain}', updated_at = ? where attempt_id = ? and state in (${rowsThatTake(removalStates, 'answered_uncertain')})`
  tx.run(sql, nowMs, attemptId)
}

/** The attempt had no effect, or the operator accepts a second one: its open removals may be requested again. */
export async function reopenAttempt(
  tx: Tx,
  attemptId: number,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): Promise<void> {
  tx.run('update removal_attempts set last_error = ?, updated_at = ? where id = ?', message, nowMs, attemptId)
  tx.run(
    `update removals set state = '${removalStates.ready}', attempt_id = null, updated_at = ?
     where attempt_id = ? and state in (${rowsThatTake(removalStates, 'reopened')})`,
    nowMs,
    attemptId,
  )
}

export async function observeAttempt(tx: Tx, attemptId: number, senderNonce: number): Promise<void> {
  tx.run('update removal_attempts set sender_nonce = ? where id = ?', senderNonce, attemptId)
}

export async function countCheck(tx: Tx, attemptId: number): Promise<void> {
  tx.run('update removal_attempts set checks = checks + 1 where id = ?', attemptId)
}

/** Undecided for too long: the task fails, and only its retry by an operator sends again. */
export async function raiseAttention(tx: Tx, attemptId: number, taskId: number): Promise<void> {
  tx.run('update removal_attempts set attention_task_id = ? where id = ? and attention_task_id is null', taskId, attemptId)
}

/** The chain has another piece under the id: only the operator's retry of this task checks it again. False when already recorded. */
export async function withhold(tx: Tx, id: number, taskId: number): Promise<boolean> {
  const sql = `update removals set withheld_task_id = ? where id = ? and state = 'pending' and withheld_task_id is not ?`
  return tx.run(sql, taskId, id, taskId).changes === 1
}

export async function markScheduled(tx: Tx, id: number, nowMs: number): Promise<void> {
  tx.run(
    `update removals set state = '${removalStates.landed}', withheld_task_id = null, updated_at = ?
     where id = ? and state in (${rowsThatTake(removalStates, 'landed')})`,
    nowMs,
    id,
  )
}

/**
 * A reorganisation took the removal out of the queue on chain: its attempt is judged again, from now on. A removal that was queued
 * without an attempt of ours is pending again.
 */
export async function markUnqueued(tx: Tx, id: number, nowMs: number): Promise<void> {
  tx.run(
    `update removal_attempts set started_at = ?, sender_nonce = null, checks = 0, updated_at = ?
     where id = (select attempt_id from removals where id = ? and state in (${rowsThatTake(removalStates, 'rolled_back')}))`,
    nowMs,
    nowMs,
    id,
  )
  tx.run(
    `update removals set state = case when attempt_id is null then '${removalStates.ready}' else '${removalStates.uncertain}' end, updated_at = ?
     where id = ? and state in (${rowsThatTake(removalStates, 'rolled_back')})`,
    nowMs,
    id,
  )
}

/** The piece is no longer on chain: it was removed, or its data set ended. */
export async function endRemoval(
  tx: Tx,
  { id, copyId }: Removal,
  { state, nowMs }: { readonly state: 'removed' | 'data_set_ended'; readonly nowMs: number },
): Promise<void> {
  // If the removal has ended meanwhile, its copy may be deleted and the copy id reused.
  const { changes } = tx.run(`update removals set state = ?, updated_at = ? where id = ? and ${isOpen}`, state, nowMs, id)
  if (changes === 1) tx.run(`update copies set state = 'removed', updated_at = ? where id = ?`, nowMs, copyId)
}

const toRemoval = (row: RemovalRow): Removal => ({
  id: row.id,
  contentId: row.content_id,
  copyId: row.copy_id,
  pieceId: BigInt(row.chain_piece_id),
  pieceCid: row.piece_cid,
  state: row.state,
  attemptId: row.attempt_id,
})
