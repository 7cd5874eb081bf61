import type { Tx } from '#kernel'
import { rowsThatTake } from '#plugins/wallet'
import { batchStates } from '../submissions/row-states-policy.ts'
import type { CommitBatch } from './batch-store.ts'

/** Records the attempt before it is sent (I-04). False when the batch is no longer ready. */
export async function recordSubmission(tx: Tx, batchId: number, nowMs: number): Promise<boolean> {
  return (
    tx.run(
      `update commit_batches set state = '${batchStates.recorded}', submit_started_at = ?, sender_nonce = null, reason_code = null, updated_at = ?
       where id = ? and state in (${rowsThatTake(batchStates, 'record')})`,
      nowMs,
      nowMs,
      batchId,
    ).changes === 1
  )
}

export async function recordSubmitted(
  tx: Tx,
  batchId: number,
  at: { readonly txHash: string | null; readonly nextCheckAtMs: number; readonly nowMs: number },
): Promise<void> {
  tx.run(
    `update commit_batches set state = '${batchStates.submitted}', first_submitted_at = coalesce(first_submitted_at, submit_started_at), tx_hash = ?,
       next_check_at = ?, checks = 0, updated_at = ? where id = ? and state in (${rowsThatTake(batchStates, 'answered_ok')})`,
    at.txHash,
    at.nextCheckAtMs,
    at.nowMs,
    batchId,
  )
}

/** The outcome is unknown: the chain decides, and the copies are not submitted again meanwhile (I-05). */
export async function recordUncertain(
  tx: Tx,
  batchId: number,
  why: { readonly message: string; readonly nextCheckAtMs: number; readonly nowMs: number },
): Promise<void> {
  tx.run(
    `update commit_batches set state = '${batchStates.uncertain}', first_submitted_at = coalesce(first_submitted_at, submit_started_at), last_error = ?,
       next_check_at = ?, checks = 0, updated_at = ? where id = ? and state in (${rowsThatTake(batchStates, 'answered_uncertain')})`,
    why.message,
    why.nextCheckAtMs,
    why.nowMs,
    batchId,
  )
  tx.run("update copies set state = 'unconfirmed', updated_at = ? where batch_id = ? and state = 'batched'", why.nowMs, batchId)
}

/** Refused, and not sent again: its copies leave it once the chain shows that it did not land. */
export async function recordWithdrawal(
  tx: Tx,
  batchId: number,
  why: { readonly message: string; readonly nextCheckAtMs: number; readonly nowMs: number },
): Promise<void> {
  await recordUncertain(tx, batchId, why)
  tx.run(`update commit_batches set reason_code = 'withdrawn' where id = ? and state = '${batchStates.uncertain}'`, batchId)
}

export const isWithdrawn = ({ reasonCode }: CommitBatch): boolean => reasonCode === 'withdrawn'

/**
 * Certainly not on chain: the same bytes may be submitted again, so that a late landing is still the only one. Attention remains until
 * the batch is confirmed.
 */
export async function reopenSubmission(tx: Tx, batchId: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  tx.run(
    `update commit_batches set state = '${batchStates.ready}', tx_hash = null, submit_started_at = null, last_error = ?, updated_at = ?
     where id = ? and state in (${rowsThatTake(batchStates, 'reopened')})`,
    why.message,
    why.nowMs,
    batchId,
  )
  tx.run("update copies set state = 'batched', updated_at = ? where batch_id = ? and state = 'unconfirmed'", why.nowMs, batchId)
}

/** Once the sender's final nonce reaches `senderNonce`, an unused batch nonce means that the attempt did not land. */
export async function observeSubmission(tx: Tx, batchId: number, senderNonce: number): Promise<void> {
  tx.run('update commit_batches set sender_nonce = ? where id = ?', senderNonce, batchId)
}
