import type { NonceOutcome } from '../chain/nonce-policy.ts'

/** A landing on record: what the nonce book said, and the newest epoch at which it did. */
export interface Landing {
  /** Id of the data set on chain. */
  readonly dataSetId: bigint
  /** Of a batch. Null for a data set, and for a batch that an earlier version recorded. */
  readonly nextPieceId: bigint | null
  /** Null where an earlier version recorded the landing. */
  readonly epoch: bigint | null
}

export interface Look {
  /** The nonce behind the confirmations, and the epoch of that read. */
  readonly confirmed: NonceOutcome
  readonly confirmedEpoch: bigint
  /** The nonce at the newest epoch that no reorganisation reaches. */
  readonly finalized: NonceOutcome
}

/** stale: the node is behind the epoch at which the landing was seen, so its silence proves nothing. */
export type LookVerdict = 'final' | 'stands' | 'vanished' | 'stale'

export function judgeLook(landing: Landing, { confirmed, confirmedEpoch, finalized }: Look): LookVerdict {
  if (isSame(landing, confirmed)) return isSame(landing, finalized) ? 'final' : 'stands'
  return landing.epoch !== null && confirmedEpoch <= landing.epoch ? 'stale' : 'vanished'
}

function isSame({ dataSetId, nextPieceId }: Landing, outcome: NonceOutcome): boolean {
  if (!outcome.landed || outcome.dataSetId !== dataSetId) return false
  return nextPieceId === null || outcome.nextPieceId === nextPieceId
}

const firstPauseEpochs = 5
const pauseEpochsMax = 240

/**
 * Epochs until the next look: the pauses double, and the last one ends when the landing comes to the finalized epoch. A landing that
 * should be final already is looked at with every epoch at first, then ever more rarely.
 */
export function nextLookEpochs({ looks, epochsLeft }: { readonly looks: number; readonly epochsLeft: number }): number {
  const pause = Math.min(firstPauseEpochs * 2 ** Math.min(looks, 10), pauseEpochsMax)
  return epochsLeft > 0 ? Math.min(pause, epochsLeft) : Math.min(1 + looks, pauseEpochsMax)
}
