import { defineService } from '#kernel'

/** Our data sets at a provider, and the proofs that it owes for them by their last observations. */
export interface MissedProofs {
  /** Data sets that are not retired. */
  readonly used: number
  /** Data sets that are live on chain, and their proving periods without a proof. */
  readonly dataSets: number
  readonly missedPeriods: number
  /** Data sets whose last missed proof is recent (`isMissRecent`): they degrade the provider. */
  readonly unsettledDataSets: number
}

/** Counts by provider id; providers without a data set are missing. The scorecard of a provider shows it. */
export const missedProofs = defineService<{ byProvider(): Promise<ReadonlyMap<string, MissedProofs>> }>('observability.missed-proofs')
