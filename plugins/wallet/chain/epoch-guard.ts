import { type ChainNetwork, epochToMs, msToEpoch } from './networks.ts'
import { requireEpoch } from './plausible-answer.ts'

/** Consecutive rejected answers after which the highest epoch counts as wrong: a count needs no clock. */
export const rejectionsMax = 5

/**
 * Remembers the highest epoch that a node reported and checks later answers against it.
 * @returns the check of one answer; it throws ChainAnswerImplausible
 */
export function createEpochGuard(network: ChainNetwork, now: () => number): (reported: bigint) => bigint {
  // The clock of a devnet is not real time: tests move it.
  const hasClock = network.name !== 'devnet'
  let highest: bigint | undefined
  let rejections = 0

  return (reported) => {
    const nowMs = now()
    // Up to a day of clock error is allowed; one such future epoch must not make correct epochs look too old.
    if (hasClock) highest = smaller(highest, msToEpoch(network, nowMs))
    try {
      requireEpoch({ reported, highest, startsAtMs: hasClock ? epochToMs(network, reported) : undefined, nowMs })
    } catch (error) {
      rejections += 1
      if (!hasClock && rejections >= rejectionsMax) highest = undefined
      throw error
    }
    rejections = 0
    if (highest === undefined || reported > highest) highest = reported
    return reported
  }
}

const smaller = (a: bigint | undefined, b: bigint) => (a === undefined || a < b ? a : b)
