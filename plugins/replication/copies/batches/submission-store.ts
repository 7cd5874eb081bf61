import type { Expression, QueryCreator } from 'kysely'
import type { Params, Tx } from '#kernel'
import { valuesThatTake } from '#plugins/wallet'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { type ReplicationTables, statement } from '../../tables.ts'
import type { CommitBatch } from '../records/batch-store.ts'

interface OfBatch {
  readonly batchId: number
  readonly nowMs: number
}

const releasedItems = (db: QueryCreator<ReplicationTables>, batchId: Expression<number>) =>
  db.selectFrom('commit_items').select('ordinal').where('batch_id', '=', batchId).where('released_at', 'is not', null)

const begin = statement((db, { batchId, priceList, nowMs }: Params<OfBatch & { priceList: string | null }>) =>
  db
    .updateTable('commit_batches')
    .set({
      state: batchStates.recorded,
      price_list: priceList,
      submit_started_at: nowMs,
      sender_nonce: null,
      reason_code: null,
      updated_at: nowMs,
    })
    .where('id', '=', batchId)
    .where('state', 'in', valuesThatTake(batchStates, 'record'))
    .where((batch) => batch.not(batch.exists(releasedItems(db, batchId)))),
)

const watch = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set(({ fn }) => ({
      state: batchStates.uncertain,
      first_submitted_at: fn.coalesce('first_submitted_at', nowMs),
      submit_started_at: nowMs,
      sender_nonce: null,
      checks: 0,
      next_check_at: nowMs,
      updated_at: nowMs,
    }))
    .where('id', '=', batchId)
    .where('state', '=', batchStates.ready)
    .where('state', 'in', valuesThatTake(batchStates, 'released')),
)

interface Accepted {
  readonly txHash: string | null
  readonly nextCheckAtMs: number
  readonly nowMs: number
}

const accept = statement((db, { batchId, txHash, nextCheckAtMs, nowMs }: Params<Accepted & OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set({
      state: batchStates.submitted,
      first_submitted_at: ({ fn }) => fn.coalesce('first_submitted_at', 'submit_started_at'),
      tx_hash: txHash,
      next_check_at: nextCheckAtMs,
      checks: 0,
      updated_at: nowMs,
    })
    .where('id', '=', batchId)
    .where('state', 'in', valuesThatTake(batchStates, 'answered_ok')),
)

interface Doubt {
  readonly message: string
  readonly nextCheckAtMs: number
  readonly nowMs: number
}

const doubt = statement((db, { batchId, message, nextCheckAtMs, nowMs }: Params<Doubt & OfBatch>) =>
  db
    .updateTable('commit_batches')
    .set({
      state: batchStates.uncertain,
      first_submitted_at: ({ fn }) => fn.coalesce('first_submitted_at', 'submit_started_at'),
      last_error: message,
      next_check_at: nextCheckAtMs,
      checks: 0,
      updated_at: nowMs,
    })
    .where('id', '=', batchId)
    .where('state', 'in', valuesThatTake(batchStates, 'answered_uncertain')),
)

const doubtCopies = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db.updateTable('copies').set({ state: 'unconfirmed', updated_at: nowMs }).where('batch_id', '=', batchId).where('state', '=', 'batched'),
)

const withdraw = statement((db, { batchId }: Params<{ batchId: number }>) =>
  db.updateTable('commit_batches').set({ reason_code: 'withdrawn' }).where('id', '=', batchId).where('state', '=', batchStates.uncertain),
)

const reopen = statement((db, { batchId, message, nowMs }: Params<OfBatch & { message: string }>) =>
  db
    .updateTable('commit_batches')
    .set({ state: batchStates.ready, tx_hash: null, submit_started_at: null, last_error: message, updated_at: nowMs })
    .where('id', '=', batchId)
    .where('state', 'in', valuesThatTake(batchStates, 'reopened')),
)

const reopenCopies = statement((db, { batchId, nowMs }: Params<OfBatch>) =>
  db.updateTable('copies').set({ state: 'batched', updated_at: nowMs }).where('batch_id', '=', batchId).where('state', '=', 'unconfirmed'),
)

const observe = statement((db, { batchId, senderNonce }: Params<{ batchId: number; senderNonce: number }>) =>
  db.updateTable('commit_batches').set({ sender_nonce: senderNonce }).where('id', '=', batchId),
)

/**
 * Records the attempt before it is sent (I-04). False when the batch is no longer ready, or another attempt stores one of its copies (I-05).
 */
export async function recordSubmission(tx: Tx, batchId: number, nowMs: number, priceList: string | null = null): Promise<boolean> {
  return (await tx.run(begin, { batchId, priceList, nowMs })).changes === 1
}

export async function recordSubmitted(tx: Tx, batchId: number, at: Accepted): Promise<void> {
  await tx.run(accept, { batchId, ...at })
}

/** The outcome is unknown: the chain decides, and the copies are not submitted again before that (I-05). */
export async function recordUncertain(tx: Tx, batchId: number, why: Doubt): Promise<void> {
  await tx.run(doubt, { batchId, ...why })
  await tx.run(doubtCopies, { batchId, nowMs: why.nowMs })
}

/** Refused, and not sent again: its copies leave it once the chain shows that it did not land. */
export async function recordWithdrawal(tx: Tx, batchId: number, why: Doubt): Promise<void> {
  await recordUncertain(tx, batchId, why)
  await tx.run(withdraw, { batchId })
}

export const isWithdrawn = ({ reasonCode }: CommitBatch): boolean => reasonCode === 'withdrawn'

/**
 * Certainly not on chain: the same bytes may be submitted again, so that a late landing is still the only one.
 */
export async function reopenSubmission(tx: Tx, batchId: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  await tx.run(reopen, { batchId, ...why })
  await tx.run(reopenCopies, { batchId, nowMs: why.nowMs })
}

/** Another attempt stores copies of the batch: it is only looked up from now on, because an earlier send may have reached the chain. */
export async function watchOnly(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  const { changes } = await tx.run(watch, { batchId, nowMs })
  if (changes === 1) await tx.run(doubtCopies, { batchId, nowMs })
}

/** Once the sender's final nonce reaches `senderNonce`, an unused batch nonce means that the attempt did not land. */
export async function observeSubmission(tx: Tx, batchId: number, senderNonce: number): Promise<void> {
  await tx.run(observe, { batchId, senderNonce })
}
