import { type Params, sqlStatement, type Tx } from '#kernel'
import { valuesThatTake } from '#plugins/wallet'
import type { AttentionCode } from '../../submissions/attention-policy.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { statement } from '../../tables.ts'

interface OfBatch {
  readonly batchId: number
  readonly nowMs: number
}

const beReady = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set({ state: batchStates.ready, updated_at: nowMs })
    .where('id', '=', batchId)
    .where('state', '=', 'pulling'),
)

const batchPulled = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('copies')
    .set({ state: 'batched', parked_at: nowMs, updated_at: nowMs })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'transferring'),
)

interface Delay {
  readonly reason: string
  readonly message: string
  readonly untilMs: number
}

const delay = statement((db, { batchId, reason, message, untilMs }: Params<Delay & { batchId: number }>) =>
  db
    .updateTable('commit_batches')
    .set({ next_check_at: untilMs, reason_code: reason, last_error: message })
    .where('id', '=', batchId)
    .where('state', 'in', ['pulling', 'ready']),
)

interface BatchRefusal {
  readonly message: string
  readonly untilMs: number
  readonly nowMs: number
}

const refuse = statement((db, { batchId, message, untilMs, nowMs }: Params<BatchRefusal & OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set((batch) => ({
      checks: batch('checks', '+', 1),
      next_check_at: untilMs,
      reason_code: 'refused',
      last_error: message,
      updated_at: nowMs,
    }))
    .where('id', '=', batchId)
    .where('state', '=', 'ready'),
)

const resetChecks = statement((db, { batchId }: Params<{ batchId: number }>) =>
  db.updateTable('commit_batches').set({ checks: 0 }).where('id', '=', batchId),
)

const postpone = statement((db, { batchId, nextCheckAtMs }: Params<{ batchId: number; nextCheckAtMs: number }>) =>
  db
    .updateTable('commit_batches')
    .set((batch) => ({ checks: batch('checks', '+', 1), next_check_at: nextCheckAtMs }))
    .where('id', '=', batchId),
)

const report = statement((db, { batchId, code, nowMs }: Params<OfBatch & { code: AttentionCode }>) =>
  db
    .updateTable('commit_batches')
    .set(({ fn }) => ({ attention_at: fn.coalesce('attention_at', nowMs), attention_code: code, updated_at: nowMs }))
    .where('id', '=', batchId)
    .where('state', 'not in', ['confirmed', 'closed']),
)

const reportCopies = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('copies')
    .set({ state: 'attention', updated_at: nowMs })
    .where('batch_id', '=', batchId)
    .where('state', 'in', ['batched', 'unconfirmed']),
)

const endReport = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set((batch) => ({ attention_at: null, attention_code: null, attempt_number: batch('attempt_number', '+', 1), updated_at: nowMs }))
    .where('id', '=', batchId)
    .where('state', 'not in', ['confirmed', 'closed']),
)

const endReportOfCopies = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db.updateTable('copies').set({ state: 'batched', updated_at: nowMs }).where('batch_id', '=', batchId).where('state', '=', 'attention'),
)

const confirm = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set({ state: 'confirmed', attention_at: null, attention_code: null, reason_code: null, updated_at: nowMs })
    .where('id', '=', batchId)
    .where('state', 'not in', ['confirmed', 'closed']),
)

/** By hand for the sum of a piece id and a position as text, the form in which numbers of the chain are stored. */
const commitCopies = sqlStatement<OfBatch & { readonly firstPieceId: bigint }>(
  `update copies set state = 'committed', committed_at = :nowMs, last_error_code = null, last_error = null, updated_at = :nowMs,
     chain_piece_id = (select cast(cast(:firstPieceId as bigint) + i.ordinal as text) from commit_items i
       where i.batch_id = copies.batch_id and i.copy_id = copies.id)
   where batch_id = :batchId and state in ('batched', 'unconfirmed', 'attention')`,
)

const close = statement((db, { batchId, message, nowMs }: Params<OfBatch & { message: string }>) =>
  db
    .updateTable('commit_batches')
    .set({ state: batchStates.closed, attention_at: null, attention_code: null, last_error: message, updated_at: nowMs })
    .where('id', '=', batchId)
    .where('state', 'in', ['pulling', ...valuesThatTake(batchStates, 'closed')]),
)

/** All pieces of the pull arrived: the batch can be submitted with the signature of the pull. */
export async function markPulled(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  await tx.run(beReady, { batchId, nowMs })
  await tx.run(batchPulled, { batchId, nowMs })
}

/** The provider is busy or unreachable: the batch is not sent before `untilMs`. */
export async function delayBatch(tx: Tx, batchId: number, why: Delay): Promise<void> {
  await tx.run(delay, { batchId, ...why })
}

/** The provider refused a batch that looks valid: it is sent again after `untilMs`. The refusal is counted in `checks`. */
export async function recordRefusal(tx: Tx, batchId: number, refusal: BatchRefusal): Promise<void> {
  await tx.run(refuse, { batchId, ...refusal })
}

/** Resets `checks`, which counts refusals from now on. */
export async function forgetChecks(tx: Tx, batchId: number): Promise<void> {
  await tx.run(resetChecks, { batchId })
}

export async function postponeCheck(tx: Tx, batchId: number, nextCheckAtMs: number): Promise<void> {
  await tx.run(postpone, { batchId, nextCheckAtMs })
}

/**
 * Undecided for too long: reported to the operator. Checks continue, and a later report only changes the code. False, without changes, when
 * the batch is already settled or closed.
 */
export async function raiseAttention(tx: Tx, batchId: number, code: AttentionCode, nowMs: number): Promise<boolean> {
  if ((await tx.run(report, { batchId, code, nowMs })).changes === 0) return false
  await tx.run(reportCopies, { batchId, nowMs })
  return true
}

/** The attempt was decided, or sent again: its copies need no operator, and a release that names it is refused. */
export async function dropAttention(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  await tx.run(endReport, { batchId, nowMs })
  await tx.run(endReportOfCopies, { batchId, nowMs })
}

/** The chain confirmed the batch: piece ids follow the order of its items. */
export async function confirmBatch(tx: Tx, batchId: number, firstPieceId: bigint, nowMs: number): Promise<void> {
  await tx.run(confirm, { batchId, nowMs })
  await tx.run(commitCopies, { batchId, firstPieceId, nowMs })
}

/** The batch is not submitted (again). The caller must move its copies to another state in the same transaction. */
export async function closeBatch(tx: Tx, batchId: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  await tx.run(close, { batchId, ...why })
}
