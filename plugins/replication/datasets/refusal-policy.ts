import type { Pace } from '../pace.ts'

/**
 * Providers block a client on every route for five minutes after five additions a minute to data sets they do not have. This limit stays
 * below that, for all data sets of a provider together.
 */
export const refusalWindowMs = 60_000
export const refusalsPerWindowMax = 3

/** After this many refusals of a data set that is live on chain, its batches are reported to the operator. */
export const dataSetRefusalsMax = 12

const firstPauseEpochs = 2
/** An hour on the public networks. */
const pauseEpochsMax = 120

/** Pause before the next request to a data set that its provider refused `refusals` times in a row: doubles up to a maximum. */
export function refusalPauseMs({ epochMs }: Pick<Pace, 'epochMs'>, refusals: number): number {
  return epochMs * Math.min(firstPauseEpochs * 2 ** Math.min(Math.max(refusals, 1) - 1, 10), pauseEpochsMax)
}

/** Time of the next request to a provider with these refusals, oldest first; undefined: now. */
export function nextRequestAtMs(refusedAtMs: readonly number[], nowMs: number): number | undefined {
  const recent = refusedAtMs.filter((at) => at > nowMs - refusalWindowMs)
  const oldest = recent.at(-refusalsPerWindowMax)
  return oldest === undefined ? undefined : oldest + refusalWindowMs
}
