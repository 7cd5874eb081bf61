import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { raiseAttention } from './batch-step-store.ts'
import type { CommitBatch } from './batch-store.ts'
import { confirmationUpdated } from './copy-events.ts'

type AttentionDeps = Pick<Pipeline, 'clock' | 'events'>

/** Reports the batch's copies to the operator. The batch is still looked up or sent again. */
export async function requestAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch, reasonCode: string): Promise<void> {
  if (batch.attentionAtMs !== null) return
  await raiseAttention(tx, batch.id, reasonCode, deps.clock.now())
  tx.afterCommit(() => announce(deps, batch, 'needs_attention'))
}

/** Call in the transaction that settles or closes the batch: clears the reports of its copies. */
export function clearAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch): void {
  if (batch.attentionAtMs !== null) tx.afterCommit(() => announce(deps, batch, 'cleared'))
}

function announce({ events }: AttentionDeps, { items }: CommitBatch, state: 'needs_attention' | 'cleared'): void {
  for (const { copyId } of items) events.publish(confirmationUpdated, { copy_id: copyId, state })
}
