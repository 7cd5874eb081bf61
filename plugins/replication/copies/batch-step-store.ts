import type { Tx } from '#kernel'
import { rowsThatTake } from '#plugins/wallet'
import { batchStates } from '../submissions/row-states-policy.ts'
import type { CommitBatch } from './batch-store.ts'

/** All pieces of the pull arrived: the batch can be submitted with the signature of the pull. */
export async function markPulled(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  tx.run(`update commit_batches set state = '${batchStates.ready}', updated_at = ? where id = ? and state = 'pulling'`, nowMs, batchId)
  tx.run(
    "update copies set state = 'batched', parked_at = ?, updated_at = ? where batch_id = ? and state = 'transferring'",
    nowMs,
    nowMs,
    batchId,
  )
}

/** The provider is busy or unreachable: the batch is not sent before `untilMs`. */
export async function delayBatch(
  tx: Tx,
  batchId: number,
  delay: { readonly reason: string; readonly message: string; readonly untilMs: number },
): Promise<void> {
  tx.run(
    "update commit_batches set next_check_at = ?, reason_code = ?, last_error = ? where id = ? and state in ('pulling', 'ready')",
    delay.untilMs,
    delay.reason,
    delay.message,
    batchId,
  )
}

/** The provider refused a batch that looks valid: it is sent again after `untilMs`. The refusal is counted in `checks`. */
export async function recordRefusal(
  tx: Tx,
  batchId: number,
  refusal: { readonly message: string; readonly untilMs: number; readonly nowMs: number },
): Promise<void> {
  tx.run(
    "update commit_batches set checks = checks + 1, next_check_at = ?, reason_code = 'refused', last_error = ?, updated_at = ? where id = ? and state = 'ready'",
    refusal.untilMs,
    refusal.message,
    refusal.nowMs,
    batchId,
  )
}

/** Resets `checks`, which counts refusals from now on. */
export async function forgetChecks(tx: Tx, batchId: number): Promise<void> {
  tx.run('update commit_batches set checks = 0 where id = ?', batchId)
}

export async function postponeCheck(tx: Tx, batchId: number, nextCheckAtMs: number): Promise<void> {
  tx.run('update commit_batches set checks = checks + 1, next_check_at = ? where id = ?', nextCheckAtMs, batchId)
}

/** Undecided for too long: reported to the operator. Checks continue, and a withdrawn batch stays withdrawn. */
export async function raiseAttention(tx: Tx, batchId: number, reasonCode: string, nowMs: number): Promise<void> {
  tx.run(
    `update commit_batches set attention_at = ?, reason_code = case when reason_code = 'withdrawn' then reason_code else ? end, updated_at = ?
     where id = ? and attention_at is null`,
    nowMs,
    reasonCode,
    nowMs,
    batchId,
  )
  tx.run("update copies set state = 'attention', updated_at = ? where batch_id = ? and state in ('batched', 'unconfirmed')", nowMs, batchId)
}

/** The chain confirmed the batch: piece ids follow the order of its items. */
export async function confirmBatch(tx: Tx, batch: CommitBatch, firstPieceId: bigint, nowMs: number): Promise<void> {
  tx.run(
    "update commit_batches set state = 'confirmed', attention_at = null, reason_code = null, updated_at = ? where id = ? and state not in ('confirmed', 'closed')",
    nowMs,
    batch.id,
  )
  for (const { copyId, ordinal } of batch.items) {
    tx.run(
      `update copies set state = 'committed', chain_piece_id = ?, committed_at = ?, last_error_code = null, last_error = null, updated_at = ?
       where id = ? and batch_id = ? and state in ('batched', 'unconfirmed', 'attention')`,
      (firstPieceId + BigInt(ordinal)).toString(),
      nowMs,
      nowMs,
      copyId,
      batch.id,
    )
  }
}

/** The batch is not submitted (again). The caller must move its copies to another state in the same transaction. */
export async function closeBatch(tx: Tx, batchId: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  tx.run(
    `update commit_batches set state = '${batchStates.closed}', attention_at = null, last_error = ?, updated_at = ?
     where id = ? and state in ('pulling', ${rowsThatTake(batchStates, 'closed')})`,
    why.message,
    why.nowMs,
    batchId,
  )
}
