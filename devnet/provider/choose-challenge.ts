// The epoch of the next challenge of a data set.
import { CHALLENGE_FINALITY_EPOCHS } from '../chain/deployment.ts'

/** Blocks that may be mined between the decision for a transaction and its own block. */
const LANDING_EPOCHS = 2n
/** More than any window has. */
const DOUBLINGS_MAX = 8

interface ChallengeWindow {
  readonly windowStart: bigint
  readonly windowSize: bigint
  readonly epoch: bigint
  /** Attempts that failed since the last success. */
  readonly failures: number
}

/**
 * Chooses an epoch as early in the window as possible, with some blocks for the transaction to be mined. The first window of a data set moves with each
 * block, so that on a busy machine an early challenge is before the window when the transaction is mined: each failure doubles the blocks.
 */
export function chooseChallenge({ windowStart, windowSize, epoch, failures }: ChallengeWindow): bigint {
  const landing = LANDING_EPOCHS << BigInt(Math.min(failures, DOUBLINGS_MAX))
  const start = windowStart + landing
  const soonest = epoch + landing + CHALLENGE_FINALITY_EPOCHS
  const end = windowStart + windowSize
  const chosen = start > soonest ? start : soonest
  return chosen < end ? chosen : end
}
