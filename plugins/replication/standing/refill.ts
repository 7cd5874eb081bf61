import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { addSurplus } from '../states/released-item-store.ts'
import { recordRefill } from './doubt-store.ts'
import { findRefillable } from './refill-store.ts'

type RefillDeps = Pick<Pipeline, 'clock' | 'log' | 'schedule' | 'states'>

const why = { code: 'piece_lost', message: 'the provider has lost the piece; it is stored there again' }

/**
 * The provider has lost the piece of a copy: the copy is stored again on the same data set from another source, like a planned one, so that
 * spend limits and funds hold. Without another source the copy stays as it is, because it may be the last one. The lost piece is removed:
 * the chain may still have it, and each of its proofs fails. The doubt stays: the copy does not count before a check finds it intact (I-53).
 */
export async function refill({ clock, log, schedule, states }: RefillDeps, tx: Tx, copyId: number): Promise<void> {
  const copy = await findRefillable(tx, copyId)
  if (!copy) return
  const { contentId, dataSetId, batchId, pieceCid } = copy
  const nowMs = clock.now()
  await addSurplus(tx, { dataSetId, batchId, contentId, pieceId: BigInt(copy.pieceId), pieceCid, nowMs })
  await schedule.cleanup(tx, dataSetId)
  await recordRefill(tx, copyId, nowMs)
  await states.copies.apply(tx, 'piece_lost', { ids: [copyId] }, why)
  tx.afterCommit(() =>
    log.warn('a provider has lost a piece; it is stored again', { copy: copyId, dataSet: dataSetId, pieceId: copy.pieceId }),
  )
}
