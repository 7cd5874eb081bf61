import type { Pace } from '../pace.ts'

/**
 * Providers close every route for five minutes to a client that sends five additions a minute to data sets they do not have. We stay
 * below that for all data sets of a provider together.
 */
export const refusalWindowMs = 60_000
export const refusalsPerWindowMax = 3

/** Refused so often while the chain says that the data set is live, its batches are shown to an operator. */
export const dataSetRefusalsMax = 12

const firstPauseEpochs = 2
/** An hour on the public networks. */
const pauseEpochsMax = 120

/** Pause before the next request to a data set that its provider refused `refusals` times in a row: doubles up to a limit. */
export function refusalPauseMs({ epochMs }: Pick<Pace, 'epochMs'>, refusals: number): number {
  return epochMs * Math.min(firstPauseEpochs * 2 ** Math.min(Math.max(refusals, 1) - 1, 10), pauseEpochsMax)
}

/** When a provider with these refusals, oldest first, may be sent a request that it may refuse too; undefined: now. */
export function nextRequestAtMs(refusedAtMs: readonly number[], nowMs: number): number | undefined {
  const recent = refusedAtMs.filter((at) => at > nowMs - refusalWindowMs)
  const oldest = recent.at(-refusalsPerWindowMax)
  return oldest === undefined ? undefined : oldest + refusalWindowMs
}
