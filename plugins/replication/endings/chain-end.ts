import { readDepths } from '../finality/landing-checks.ts'
import type { Pipeline } from '../pipeline.ts'
import type { EndingWork } from './ending-work.ts'
import { finalLanding } from './open-work-store.ts'

export type ChainEnd =
  | { readonly kind: 'running' }
  /** `endEpoch`: up to which it is paid; null when the data set was deleted from the chain. */
  | { readonly kind: 'ended'; readonly endEpoch: bigint | null }
  /** The node does not know the data set, but may be behind its creation. */
  | { readonly kind: 'absent' }

/** Whether the chain has ended the service: at the final epoch, or at `epoch`. */
export async function lookUpEnd(
  deps: Pick<Pipeline, 'database' | 'chain' | 'reads'>,
  { dataSet, chainId }: EndingWork,
  epoch?: bigint,
): Promise<ChainEnd> {
  const found = await deps.reads.dataSet(chainId, epoch)
  if (found) return found.endEpoch > 0n ? { kind: 'ended', endEpoch: found.endEpoch } : { kind: 'running' }
  const { deletable } = await readDepths(deps)
  const landedEpoch = await finalLanding(deps.database.read, dataSet.id)
  // The creation is final, and the data set is missing in a block after it that is final too.
  const isGone = landedEpoch !== undefined && deletable >= landedEpoch && (await deps.reads.dataSet(chainId, deletable)) === null
  return isGone ? { kind: 'ended', endEpoch: null } : { kind: 'absent' }
}
