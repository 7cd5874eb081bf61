/** Remembers the highest epoch that a node reported, and checks later answers against it. */
import { type ChainNetwork, epochToMs, msToEpoch } from './networks.ts'
import { requireEpoch } from './plausible-answer.ts'

/** Without a clock: refused answers in a row after which the highest epoch counts as the wrong one. */
export const refusalsMax = 5

/** @returns the check of one answer; it throws ChainAnswerImplausible */
export function createEpochGuard(network: ChainNetwork, now: () => number): (reported: bigint) => bigint {
  // Tests move the clock of a devnet as they like.
  const hasClock = network.name !== 'devnet'
  let highest: bigint | undefined
  let refusals = 0

  return (reported) => {
    const nowMs = now()
    // One epoch from the future, which a day of clock error allows, must not make the true ones look too old.
    if (hasClock) highest = smaller(highest, msToEpoch(network, nowMs))
    try {
      requireEpoch({ reported, highest, startsAtMs: hasClock ? epochToMs(network, reported) : undefined, nowMs })
    } catch (error) {
      refusals += 1
      if (!hasClock && refusals >= refusalsMax) highest = undefined
      throw error
    }
    refusals = 0
    if (highest === undefined || reported > highest) highest = reported
    return reported
  }
}

const smaller = (a: bigint | undefined, b: bigint) => (a === undefined || a < b ? a : b)
