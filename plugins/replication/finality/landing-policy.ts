import type { NonceOutcome } from '#plugins/providers'

/** A recorded landing: the nonce outcome on chain, and the newest epoch at which it was read. */
export interface Landing {
  /** Id of the data set on chain. */
  readonly dataSetId: bigint
  /** Batches only. Null for a data set, and for a batch that an earlier version recorded. */
  readonly nextPieceId: bigint | null
  /** Null when an earlier version recorded the landing. */
  readonly epoch: bigint | null
}

export interface NonceReads {
  /** The nonce outcome at the confirmed epoch. */
  readonly confirmed: NonceOutcome
  readonly confirmedEpoch: bigint
  /** The nonce outcome at the newest epoch that no reorganisation can change. */
  readonly finalized: NonceOutcome
}

/** missing: the chain does not have the recorded landing · stale: the node is behind the landing, so a missing nonce proves nothing. */
export type LandingVerdict = 'final' | 'confirmed' | 'missing' | 'stale'

export function judgeLanding(landing: Landing, { confirmed, confirmedEpoch, finalized }: NonceReads): LandingVerdict {
  if (isSame(landing, confirmed)) return isSame(landing, finalized) ? 'final' : 'confirmed'
  return landing.epoch !== null && confirmedEpoch <= landing.epoch ? 'stale' : 'missing'
}

function isSame({ dataSetId, nextPieceId }: Landing, outcome: NonceOutcome): boolean {
  if (!outcome.landed || outcome.dataSetId !== dataSetId) return false
  return nextPieceId === null || outcome.nextPieceId === nextPieceId
}

const firstPauseEpochs = 5
const pauseEpochsMax = 240

/**
 * Epochs until the next check: pauses double, and the last one ends when the landing reaches the finalized epoch. A landing that should
 * already be final is checked at intervals of 1, 2, 3, … epochs.
 */
export function nextCheckEpochs({ checks, epochsLeft }: { readonly checks: number; readonly epochsLeft: number }): number {
  const pause = Math.min(firstPauseEpochs * 2 ** Math.min(checks, 10), pauseEpochsMax)
  return epochsLeft > 0 ? Math.min(pause, epochsLeft) : Math.min(1 + checks, pauseEpochsMax)
}
