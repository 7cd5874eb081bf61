import { defineService } from '#kernel'

/** Proofs that a provider owes for our data sets, by the last observations of them. */
export interface MissedProofs {
  /** Data sets of ours that are live at the provider, and their proving periods without a proof. */
  readonly dataSets: number
  readonly missedPeriods: number
  /** Those of the data sets whose last missed proof is recent (`isMissRecent`): they degrade the provider. */
  readonly unsettledDataSets: number
}

/** Counts by provider id; providers without an observed data set are missing. The scorecard of a provider shows it. */
export const missedProofs = defineService<{ byProvider(): Promise<ReadonlyMap<string, MissedProofs>> }>('observability.missed-proofs')
