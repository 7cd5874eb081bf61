import { defineProbe } from '#kernel'
import { lookupsAtOnceMax } from '#plugins/providers'
import { refusalPauseMs } from '../../datasets/refusal-policy.ts'
import { countSetback, pauseWrites } from '../../datasets/refusal-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { releasedItems } from '../../states/released-item-store.ts'
import { restoreBytes } from '../ingress/restore-bytes.ts'
import type { BatchItem, BatchOfDataSet, CommitBatch } from '../records/batch-store.ts'

const withdrawn = defineProbe('storage.submit.withdrawn')

export type WithdrawBatchDeps = Pick<Pipeline, 'clock' | 'database' | 'pace' | 'providers' | 'states'>

/**
 * Whether the provider may accept the refused batch later as signed. False when it no longer has the bytes.
 * A batch that may have reached the chain before keeps its nonce as long as the cache has the bytes, which are uploaded again here.
 */
export async function canBeTakenLater(
  deps: Pick<Pipeline, 'cached' | 'log' | 'providers'>,
  work: BatchOfDataSet,
  signal: AbortSignal,
): Promise<boolean> {
  const { batch, dataSet } = work
  const { stored, isComplete } = await findStored(deps, work, signal)
  const discarded = isComplete ? batch.items.filter((item) => !stored.has(item.pieceCid)) : []
  if (discarded.length === 0) return true
  return batch.firstSubmittedAtMs !== null && (await restoreBytes(deps, dataSet.serviceUrl, discarded, signal))
}

interface StoredPieces {
  readonly stored: ReadonlySet<string>
  /** False after a look-up without an answer: those behind it were not made. */
  readonly isComplete: boolean
}

/** Asks the provider which of the pieces it has. A few look-ups run at a time: a batch has hundreds of pieces. */
export async function findStored(
  { providers }: Pick<Pipeline, 'providers'>,
  { dataSet, batch }: Pick<BatchOfDataSet, 'dataSet'> & { readonly batch: Pick<CommitBatch, 'items'> },
  signal: AbortSignal,
): Promise<StoredPieces> {
  const client = providers.client(dataSet.serviceUrl)
  const stored = new Set<string>()
  const left = batch.items.values()
  let isComplete = true
  const lookUp = async () => {
    for (const { pieceCid } of left) {
      if (!isComplete || signal.aborted) return
      const answer = await client.findPiece(pieceCid, { signal })
      if (answer.kind !== 'ok') isComplete = false
      else if (answer.value.isFound) stored.add(pieceCid)
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnceMax }, lookUp))
  // An abort is no answer of the provider.
  signal.throwIfAborted()
  return { stored, isComplete }
}

/**
 * The chain shows that a withdrawn batch did not land. Every copy leaves it (I-29): pieces that the provider has join a batch with
 * another nonce, the others are uploaded or pulled again.
 */
export async function closeWithdrawn(deps: WithdrawBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, states } = deps
  const { batch, dataSet } = work
  const { stored, isComplete } = await findStored(deps, work, signal)
  const isKept = ({ pieceCid }: BatchItem) => isComplete && stored.has(pieceCid)
  const { kept = [], gone = [] } = Object.groupBy(batch.items, (item) => (isKept(item) ? 'kept' : 'gone'))
  const message = batch.lastError ?? 'the provider refused the batch'
  const nowMs = clock.now()
  const place = (items: typeof batch.items) => ({ ids: items.map(({ copyId }) => copyId), batchId: batch.id })
  await database.write(async (tx) => {
    // A provider that discards bytes repeatedly gets them after growing pauses.
    if (gone.length > 0) {
      await pauseWrites(tx, dataSet.id, { untilMs: nowMs + refusalPauseMs(pace, await countSetback(tx, dataSet.id)), message })
    }
    await states.batches.apply(tx, 'reopened', batch.id, { message })
    await states.batches.apply(tx, 'closed', batch.id, { message })
    await states.copies.apply(tx, 'withdrawn', place(kept))
    await states.copies.apply(tx, 'withdrawn_gone', place(gone), { code: 'bytes_gone', message, retryAtMs: nowMs })
    // Deleted contents of released items were kept for as long as the batch could land.
    await states.copies.recount(
      tx,
      (await releasedItems(tx, batch.id)).map(({ contentId }) => contentId),
    )
  })
  await withdrawn()
}
