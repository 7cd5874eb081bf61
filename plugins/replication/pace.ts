/** Intervals and limits of waits, in milliseconds; derived from the epoch length, so that a fast local chain has short waits. */
export interface Pace {
  readonly epochMs: number
  /** How long a parked piece waits for others to share its transaction. */
  readonly batchingWindowMs: number
  /** Poll interval after an upload: a provider serves the piece only after it has moved the bytes. */
  readonly parkingMs: number
  readonly parkingLimitMs: number
  readonly pullMs: number
  /** A pull that has not ended after this is given up. */
  readonly pullLimitMs: number
  /** Retry intervals for missing funds and unreachable providers. */
  readonly fundingMs: number
  readonly providerMs: number
  /** Retry interval for a chain node that does not answer. */
  readonly chainMs: number
  readonly creationMs: number
  /** A provider works on a submission at most this long; only then can the chain show that it did not land. */
  readonly handlingMs: number
  /** An outcome that is open after this is reported to the operator. */
  readonly attentionMs: number
}

const parkingMs = 1000
const parkingLimitMs = 5 * 60_000
const pullLimitMs = 30 * 60_000

export function createPace(epochMs: number): Pace {
  return {
    epochMs,
    batchingWindowMs: Math.min(3000, epochMs * 3),
    parkingMs: Math.min(parkingMs, epochMs / 2),
    parkingLimitMs,
    pullMs: Math.min(5000, epochMs / 2),
    pullLimitMs,
    fundingMs: epochMs * 2,
    providerMs: epochMs,
    chainMs: epochMs * 2,
    creationMs: epochMs / 2,
    handlingMs: epochMs * 10,
    attentionMs: epochMs * 60,
  }
}

/** Pause before the next check of an open outcome: half an epoch, then two epochs, then twenty. */
export function nextCheckMs(pace: Pace, checks: number): number {
  if (checks < 8) return pace.epochMs / 2
  return checks < 38 ? pace.epochMs * 2 : pace.epochMs * 20
}
