import type { Tx } from '#kernel'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { recountContents } from '../../holdings/recount-contents.ts'
import type { CopyChangeDeps } from '../../pipeline.ts'
import { confirmationUpdated } from '../records/copy-events.ts'
import { addSurplus, adoptLanded, releasedItems } from './released-item-store.ts'

interface LandedBatch {
  readonly dataSet: DataSet
  readonly batchId: number
  /** In the signed order. */
  readonly pieceIds: readonly bigint[]
}

/**
 * Call in the transaction that records a landing. A copy that was released from the batch is committed by whichever attempt landed first;
 * the piece of the other one is removed. So no copy is committed twice, and no surplus piece stays paid for.
 */
export async function settleReleased(deps: CopyChangeDeps, tx: Tx, { dataSet, batchId, pieceIds }: LandedBatch): Promise<void> {
  const { clock, pace, schedule, uploadEvents, events, log } = deps
  const nowMs = clock.now()
  for (const { ordinal, copyId, contentId, pieceCid } of await releasedItems(tx, batchId)) {
    const pieceId = pieceIds[ordinal]
    if (pieceId === undefined) continue
    if (await adoptLanded(tx, { batchId, copyId, pieceId }, nowMs)) {
      await schedule.commit(tx, dataSet.id)
      await schedule.pull(tx, dataSet.id)
      uploadEvents.changed(tx, [contentId])
      tx.afterCommit(() => events.publish(confirmationUpdated, { copy_id: copyId, state: 'cleared' }))
    } else if ((await findDataSet(tx, dataSet.id))?.state !== 'lost') {
      await addSurplus(tx, { dataSetId: dataSet.id, batchId, contentId, pieceId, pieceCid, nowMs })
      await schedule.cleanup(tx, dataSet.id, nowMs + pace.batchingWindowMs)
      tx.afterCommit(() =>
        log.warn('a released attempt landed after another one: its piece is removed', {
          copy: copyId,
          batch: batchId,
          pieceId: pieceId.toString(),
        }),
      )
    }
    for (const id of await recountContents(deps, tx, [contentId], nowMs)) await schedule.cleanup(tx, id, nowMs + pace.batchingWindowMs)
  }
}
