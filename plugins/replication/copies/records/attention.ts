import type { Tx } from '#kernel'
import { isOpenRow } from '#plugins/wallet'
import type { Pipeline } from '../../pipeline.ts'
import type { AttentionCode } from '../../submissions/attention-policy.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { dropAttention, raiseAttention } from './batch-step-store.ts'
import { type CommitBatch, openBatches } from './batch-store.ts'
import { confirmationUpdated } from './copy-events.ts'

type AttentionDeps = Pick<Pipeline, 'clock' | 'events'>

/** Reports the copies of an open batch to the operator, or the new reason. The batch is still looked up or sent again. */
export async function requestAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch, code: AttentionCode): Promise<void> {
  if (batch.attentionCode === code) return
  const isRaised = await raiseAttention(tx, batch.id, code, deps.clock.now())
  if (isRaised && batch.attentionAtMs === null) tx.afterCommit(() => announce(deps, batch, 'needs_attention'))
}

/**
 * The attempt did not land, or its bytes were sent again after refusals: the operator has nothing to decide about it. Returns the batch
 * without its attention.
 */
export async function endAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch): Promise<CommitBatch> {
  if (batch.attentionAtMs === null) return batch
  await dropAttention(tx, batch.id, deps.clock.now())
  clearAttention(deps, tx, batch)
  return { ...batch, attentionAtMs: null, attentionCode: null }
}

/** Call in the transaction that settles or closes the batch: clears the reports of its copies. */
export function clearAttention(deps: AttentionDeps, tx: Tx, batch: CommitBatch): void {
  if (batch.attentionAtMs !== null) tx.afterCommit(() => announce(deps, batch, 'cleared'))
}

function announce({ events }: AttentionDeps, { items }: CommitBatch, state: 'needs_attention' | 'cleared'): void {
  for (const { copyId } of items) events.publish(confirmationUpdated, { copy_id: copyId, state })
}

/** No outcome can be looked up: reports the batches that were sent and have been open for too long. */
export async function reportSilentChain(deps: Pick<Pipeline, 'database' | 'clock' | 'events' | 'pace'>, dataSetId: number): Promise<void> {
  const { database, clock, pace } = deps
  const isOverdue = ({ state, submitStartedAtMs }: CommitBatch) =>
    isOpenRow(batchStates, state) && submitStartedAtMs !== null && clock.now() - submitStartedAtMs >= pace.attentionMs
  if (!(await openBatches(database.read, dataSetId)).some(isOverdue)) return
  await database.write(async (tx) => {
    for (const batch of (await openBatches(tx, dataSetId)).filter(isOverdue)) await requestAttention(deps, tx, batch, 'chain_unreachable')
  })
}
