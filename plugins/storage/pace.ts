/** How often and how long to wait on a network: in epochs, so that a fast local chain is fast too. Milliseconds. */
export interface Pace {
  readonly epochMs: number
  /** A parked piece waits this long for others to share its transaction. */
  readonly lingerMs: number
  /** A provider moves uploaded bytes to their place before it names them. */
  readonly parkingMs: number
  readonly parkingLimitMs: number
  readonly pullMs: number
  /** A pull that has not ended by then is given up. */
  readonly pullLimitMs: number
  /** Missing money and unreachable providers are looked at again after this. */
  readonly fundingMs: number
  readonly providerMs: number
  /** A chain node that does not answer is asked again after this. */
  readonly chainMs: number
  readonly creationMs: number
  /** A provider works on a submission at most this long; afterwards the chain's word can be final. */
  readonly handlingMs: number
  /** An outcome still open after this is shown to the operator. */
  readonly attentionMs: number
}

const parkingMs = 1000
const parkingLimitMs = 5 * 60_000
const pullLimitMs = 30 * 60_000

export function createPace(epochMs: number): Pace {
  return {
    epochMs,
    lingerMs: Math.min(3000, epochMs * 3),
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

/** Pause before the next look at an open outcome: half an epoch at first, two epochs later, twenty in the end. */
export function nextCheckMs(pace: Pace, checks: number): number {
  if (checks < 8) return pace.epochMs / 2
  return checks < 38 ? pace.epochMs * 2 : pace.epochMs * 20
}
