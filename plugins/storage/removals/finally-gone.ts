import type { Pipeline } from '../pipeline.ts'
import type { RemovalsOfDataSet } from './submit-removals.ts'

/** Those of the pieces that no reorganisation can bring back. None where the node does not answer so far back: the others go on. */
export async function finallyGone(
  { reads, log }: Pipeline,
  { dataSet, depths }: RemovalsOfDataSet,
  pieceIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  try {
    const states = await Promise.all(pieceIds.map((pieceId) => reads.pieceState(dataSet.chainId, pieceId, depths.finalized)))
    return new Set(pieceIds.filter((_, index) => states[index] === 'gone'))
  } catch (error) {
    log.warn('the chain node does not answer for the finalized epoch: no removal is final; see chain.finality_epochs', {
      epoch: depths.finalized.toString(),
      dataSet: dataSet.id,
      error,
    })
    return new Set()
  }
}
