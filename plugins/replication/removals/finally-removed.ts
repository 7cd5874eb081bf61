import type { Pipeline } from '../pipeline.ts'
import type { RemovalsOfDataSet } from './submit-removals.ts'

/** Removed pieces that no reorganisation can bring back. Empty when the node does not answer for the finalized epoch. */
export async function finallyRemoved(
  { reads, log }: Pipeline,
  { dataSet, depths }: RemovalsOfDataSet,
  pieceIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  try {
    const states = await Promise.all(pieceIds.map((pieceId) => reads.pieceState(dataSet.chainId, pieceId, depths.finalized)))
    return new Set(pieceIds.filter((_, index) => states[index] === 'gone'))
  } catch (error) {
    log.warn('no answer for the finalized epoch, removals stay open: check the chain node and chain.finality_epochs', {
      epoch: depths.finalized.toString(),
      dataSet: dataSet.id,
      error,
    })
    return new Set()
  }
}
