import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import type { AttentionCode } from '../submissions/attention-policy.ts'
import { raiseAttention } from './batch-step-store.ts'
import type { CommitBatch } from './batch-store.ts'
import { confirmationUpdated } from './copy-events.ts'

type AttentionDeps = Pick<Pipeline, 'clock' | 'events'>

/** Reports the batch's copies to the operator, or the new reason. The batch is still looked up or sent again. */
export async function requestAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch, code: AttentionCode): Promise<void> {
  if (batch.attentionCode === code) return
  await raiseAttention(tx, batch.id, code, deps.clock.now())
  if (batch.attentionAtMs === null) tx.afterCommit(() => announce(deps, batch, 'needs_attention'))
}

/** Call in the transaction that settles or closes the batch: clears the reports of its copies. */
export function clearAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch): void {
  if (batch.attentionAtMs !== null) tx.afterCommit(() => announce(deps, batch, 'cleared'))
}

function announce({ events }: AttentionDeps, { items }: CommitBatch, state: 'needs_attention' | 'cleared'): void {
  for (const { copyId } of items) events.publish(confirmationUpdated, { copy_id: copyId, state })
}

/** No outcome can be looked up: reports the batches that have been open for too long. */
export async function reportSilentChain(deps: Pipeline, sent: readonly CommitBatch[]): Promise<void> {
  const { database, clock, pace } = deps
  const overdue = sent.filter(
    ({ firstSubmittedAtMs }) => firstSubmittedAtMs !== null && clock.now() - firstSubmittedAtMs >= pace.attentionMs,
  )
  if (overdue.length === 0) return
  await database.write(async (tx) => {
    for (const batch of overdue) await requestAttention(deps, tx, batch, 'chain_unreachable')
  })
}
