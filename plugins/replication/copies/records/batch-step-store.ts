/** Times of a batch: its state changes only in `states/`. */
import type { Params, Tx } from '#kernel'
import { statement } from '../../tables.ts'

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

const refuse = statement((db, { batchId, message, untilMs, nowMs }: Params<BatchRefusal & { batchId: number }>) =>
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

type NextCheck = Params<{ batchId: number; nextCheckAtMs: number; senderNonce: number | null }>
const postpone = statement((db, { batchId, nextCheckAtMs, senderNonce }: NextCheck) =>
  db
    .updateTable('commit_batches')
    .set((batch) => ({
      checks: batch('checks', '+', 1),
      next_check_at: nextCheckAtMs,
      sender_nonce: batch.fn.coalesce(senderNonce, 'sender_nonce'),
    }))
    .where('id', '=', batchId),
)

/** The provider is busy or unreachable: the batch is not sent before `untilMs`. */
export async function delayBatch(tx: Tx, batchId: number, why: Delay): Promise<void> {
  await tx.run(delay, { batchId, ...why })
}

/** The provider refused a batch that looks valid: it is sent again after `untilMs`. The refusal is counted in `checks`. */
export async function recordRefusal(tx: Tx, batchId: number, refusal: BatchRefusal): Promise<void> {
  await tx.run(refuse, { batchId, ...refusal })
}

/** Once the sender's final nonce reaches `senderNonce`, an unused batch nonce means that the attempt did not land. */
export async function postponeCheck(tx: Tx, batchId: number, nextCheckAtMs: number, senderNonce: number | null = null): Promise<void> {
  await tx.run(postpone, { batchId, nextCheckAtMs, senderNonce })
}
