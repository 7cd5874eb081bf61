/** @walk removal 11: ends a removal when no reorganisation can undo it */
import type { DataSet } from '../datasets/data-set-store.ts'
import type { Depths } from '../finality/landing-checks.ts'
import type { Pipeline } from '../pipeline.ts'

export interface RemovalsOfDataSet {
  readonly dataSet: DataSet & { readonly chainId: bigint }
  /** Pieces in the data set's removal queue on chain. */
  readonly queued: ReadonlySet<bigint>
  readonly depths: Depths
  readonly taskId: number
}

/**
 * Removed pieces that no reorganisation can bring back, at both depths: a piece that landed after the older one is missing there too. Empty when the node
 * does not answer for these epochs.
 */
export async function finallyRemoved(
  { reads, log }: Pick<Pipeline, 'log' | 'reads'>,
  { dataSet, depths }: RemovalsOfDataSet,
  pieceIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  try {
    const goneAt = async (epoch: bigint) => {
      const states = await Promise.all(pieceIds.map((pieceId) => reads.pieceState(dataSet.chainId, pieceId, epoch)))
      return new Set(pieceIds.filter((_, index) => states[index] === 'gone'))
    }
    const [finalized, deletable] = await Promise.all([goneAt(depths.finalized), goneAt(depths.deletable)])
    return finalized.intersection(deletable)
  } catch (error) {
    log.warn('no answer for the finalized epoch, removals stay open: check the chain node and chain.finality_epochs', {
      epoch: depths.finalized.toString(),
      dataSet: dataSet.id,
      error,
    })
    return new Set()
  }
}
