import { defineProbe } from '#kernel'
import { refusalPauseMs } from '../../datasets/refusal-policy.ts'
import { countSetback, pauseWrites } from '../../datasets/refusal-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { releasedItems } from '../../states/released-item-store.ts'
import { restoreBytes } from '../ingress/restore-bytes.ts'
import type { BatchOfDataSet } from '../records/batch-store.ts'

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
  const { database, clock, pace, states } = deps
  const { batch, dataSet } = work
  const stored = await findStored(deps, work, signal)
  const { stored: kept = [], gone = [] } = Object.groupBy(batch.items, ({ pieceCid }) => (stored?.has(pieceCid) ? 'stored' : 'gone'))
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
