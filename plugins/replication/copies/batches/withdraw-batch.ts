import { defineProbe } from '#kernel'
import { refusalPauseMs } from '../../datasets/refusal-policy.ts'
import { countSetback, pauseWrites } from '../../datasets/refusal-store.ts'
import { recountContents } from '../../holdings/recount-contents.ts'
import type { CopyChangeDeps, Pipeline } from '../../pipeline.ts'
import { restoreBytes } from '../ingress/restore-bytes.ts'
import { clearAttention } from '../records/attention.ts'
import { closeBatch } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, contentIdsOf } from '../records/batch-store.ts'
import { findPipelineContent, markParked, returnToPlanned } from '../records/copy-store.ts'
import { releasedItems } from './released-item-store.ts'
import { reopenSubmission } from './submission-store.ts'

export type WithdrawBatchDeps = CopyChangeDeps & Pick<Pipeline, 'providers' | 'cached'>

const withdrawn = defineProbe('storage.submit.withdrawn')

/**
 * Whether the provider may accept the refused batch later as signed. False when it no longer has the bytes, or a content was deleted.
 * A batch that may have reached the chain before keeps its nonce as long as the cache has the bytes, which are uploaded again here.
 */
export async function canBeTakenLater(deps: WithdrawBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<boolean> {
  const { batch, dataSet } = work
  for (const { contentId } of batch.items) {
    if (!(await findPipelineContent(deps.database.read, contentId))?.isLive) return false
  }
  const stored = await findStored(deps, work, signal)
  const discarded = stored ? batch.items.filter((item) => !stored.has(item.pieceCid)) : []
  if (discarded.length === 0) return true
  return batch.firstSubmittedAtMs !== null && (await restoreBytes(deps, dataSet.serviceUrl, discarded, signal))
}

/** Pieces of the batch that its provider has; undefined without an answer. */
async function findStored(
  { providers }: Pick<Pipeline, 'providers'>,
  { dataSet, batch }: BatchOfDataSet,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const stored = new Set<string>()
  for (const { pieceCid } of batch.items) {
    const answer = await providers.client(dataSet.serviceUrl).findPiece(pieceCid, { signal })
    // An abort is no answer of the provider.
    signal.throwIfAborted()
    if (answer.kind !== 'ok') return undefined
    if (answer.value.isFound) stored.add(pieceCid)
  }
  return stored
}

/**
 * The chain shows that a withdrawn batch did not land. Every copy leaves it (I-29): pieces that the provider has join a batch with
 * another nonce, the others are uploaded or pulled again.
 */
export async function closeWithdrawn(deps: WithdrawBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, schedule, uploadEvents } = deps
  const { batch, dataSet } = work
  const stored = await findStored(deps, work, signal)
  const message = batch.lastError ?? 'the provider refused the batch'
  const nowMs = clock.now()
  await database.write(async (tx) => {
    // A provider that discards bytes repeatedly gets them after growing pauses.
    if (batch.items.some(({ pieceCid }) => !stored?.has(pieceCid))) {
      await pauseWrites(tx, dataSet.id, { untilMs: nowMs + refusalPauseMs(pace, await countSetback(tx, dataSet.id)), message })
    }
    clearAttention(deps, tx, batch)
    await reopenSubmission(tx, batch.id, { message, nowMs })
    await closeBatch(tx, batch.id, { message, nowMs })
    for (const { copyId, contentId, pieceCid } of batch.items) {
      const copy = { copyId, batchId: batch.id }
      if (stored?.has(pieceCid)) await markParked(tx, copy, nowMs)
      else await returnToPlanned(tx, copy, { code: 'bytes_gone', message, nowMs, retryAtMs: nowMs })
      // The store task decides whether the bytes come from the cache or from another provider.
      await schedule.store(tx, contentId)
    }
    uploadEvents.changed(tx, contentIdsOf(batch))
    // Deleted contents of released items were kept for as long as the batch could land.
    const released = await releasedItems(tx, batch.id)
    await recountContents(deps, tx, [...contentIdsOf(batch), ...released.map(({ contentId }) => contentId)], nowMs)
    await schedule.commit(tx, dataSet.id)
  })
  await withdrawn()
}
