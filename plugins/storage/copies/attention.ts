import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { type CommitBatch, raiseAttention } from './batch-store.ts'
import { confirmationUpdated } from './copy-events.ts'

type Doors = Pick<Pipeline, 'clock' | 'events'>

/** The copies of the batch become an operator's entry; the batch is looked up, or offered, all the same. */
export function callOperator(doors: Doors, tx: Tx, batch: CommitBatch, reasonCode: string): void {
  if (batch.attentionAtMs !== null) return
  raiseAttention(tx, batch.id, reasonCode, doors.clock.now())
  tx.afterCommit(() => announce(doors, batch, 'needs_attention'))
}

/** The batch is settled or given up in this transaction: its copies need no operator any more. */
export function withdrawCalls(doors: Doors, tx: Tx, batch: CommitBatch): void {
  if (batch.attentionAtMs !== null) tx.afterCommit(() => announce(doors, batch, 'cleared'))
}

function announce({ events }: Doors, { items }: CommitBatch, state: 'needs_attention' | 'cleared'): void {
  for (const { copyId } of items) events.publish(confirmationUpdated, { copy_id: copyId, state })
}
