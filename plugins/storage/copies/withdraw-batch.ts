import { defineProbe } from '#kernel'
import { refusalPauseMs } from '../datasets/refusal-policy.ts'
import { countSetback, pauseWrites } from '../datasets/refusal-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { withdrawCalls } from './attention.ts'
import { closeBatch, reopenSubmission } from './batch-store.ts'
import { findPipelineContent, markParked, recountContent, returnToPlanned } from './copy-store.ts'
import { restoreBytes } from './restore-bytes.ts'
import type { BatchOfDataSet } from './submit-batch.ts'

const withdrawn = defineProbe('storage.submit.withdrawn')

/**
 * May the provider take the refused batch later, just as it was signed? Not when its bytes are gone from there, or a content was deleted.
 * A batch that may once have reached the chain keeps its nonce as long as the cache can bring the bytes.
 */
export async function canBeTakenLater(doors: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<boolean> {
  const { batch, dataSet } = work
  if (batch.items.some(({ contentId }) => !findPipelineContent(doors.database.read, contentId)?.isLive)) return false
  const stored = await findStored(doors, work, signal)
  const discarded = stored ? batch.items.filter((item) => !stored.has(item.pieceCid)) : []
  if (discarded.length === 0) return true
  return batch.firstSubmittedAtMs !== null && (await restoreBytes(doors, dataSet.serviceUrl, discarded, signal))
}

/** Pieces of the batch that its provider has; undefined when it does not say. */
async function findStored(
  { providers }: Pipeline,
  { dataSet, batch }: BatchOfDataSet,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const stored = new Set<string>()
  for (const { pieceCid } of batch.items) {
    const answer = await providers.client(dataSet.serviceUrl).findPiece(pieceCid, { signal })
    // A run that is called off has no answer: it says nothing of the provider.
    signal.throwIfAborted()
    if (answer.kind !== 'ok') return undefined
    if (answer.value.isFound) stored.add(pieceCid)
  }
  return stored
}

/**
 * The chain has shown that a withdrawn batch did not land. Each copy leaves it, whatever its state (I-29): what its provider has joins
 * another batch under another nonce, what it does not have is brought again.
 */
export async function giveBack(doors: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, schedule, uploadEvents } = doors
  const { batch, dataSet } = work
  const stored = await findStored(doors, work, signal)
  const message = batch.lastError ?? 'the provider refused the batch'
  const nowMs = clock.now()
  await database.write((tx) => {
    // A provider that discards again and again what it gets is given it less and less often.
    if (batch.items.some(({ pieceCid }) => !stored?.has(pieceCid))) {
      pauseWrites(tx, dataSet.id, { untilMs: nowMs + refusalPauseMs(pace, countSetback(tx, dataSet.id)), message })
    }
    withdrawCalls(doors, tx, batch)
    reopenSubmission(tx, batch.id, { message, nowMs })
    closeBatch(tx, batch.id, { message, nowMs })
    for (const { copyId, contentId, pieceCid } of batch.items) {
      const copy = { copyId, batchId: batch.id }
      if (stored?.has(pieceCid)) markParked(tx, copy, nowMs)
      else returnToPlanned(tx, copy, { code: 'bytes_gone', message, nowMs, retryAtMs: nowMs })
      recountContent(tx, contentId, nowMs)
      uploadEvents.moved(tx, contentId)
      // The store task decides anew whether the bytes come from the cache or from another provider.
      schedule.store(tx, contentId)
    }
    schedule.commit(tx, dataSet.id)
  })
  await withdrawn()
}
