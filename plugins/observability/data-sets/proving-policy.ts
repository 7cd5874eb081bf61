/** What the chain's numbers say about the proofs of a data set. Pure. Epochs are numbers. */

/** The numbers of a data set that is live on chain. */
export interface ProvingReads {
  /** 0: no period has begun. Period n ends at `activation + (n + 1) · period`. */
  readonly activation: number
  /** Null: no proof is due. */
  readonly deadline: number | null
  readonly isProvenThisPeriod: boolean
  readonly lastProven: number
}

/** What an earlier look recorded. */
export interface ProvingRecord {
  readonly activation: number
  readonly deadline: number | null
  readonly owedSince: number | null
  readonly nextPeriod: number | null
}

export interface ProvingVerdict {
  readonly state: 'not_started' | 'proven' | 'due' | 'overdue'
  readonly nextDue: number | null
  /** The last proven epoch when a proof became overdue. Only a later proof ends it: a new period alone proves nothing. */
  readonly owedSince: number | null
  /** Ended periods that are not recorded: from the first up to the last. `next` is above `last` when there are none. */
  readonly periods: { readonly next: number; readonly last: number } | null
}

interface ChainTime {
  readonly epoch: number
  readonly periodEpochs: number
  /** Periods that are kept. */
  readonly keptPeriods: number
}

const notStarted: ProvingVerdict = { state: 'not_started', nextDue: null, owedSince: null, periods: null }

/** A new or an empty data set owes nothing. */
export function judgeProving(reads: ProvingReads, before: ProvingRecord | undefined, time: ChainTime): ProvingVerdict {
  const { activation, deadline, isProvenThisPeriod, lastProven } = reads
  const { epoch, periodEpochs } = time
  if (activation === 0 || deadline === null) return notStarted
  // A provider that proved and did not begin the next period owes the proof of that one.
  const isOverdue = epoch > deadline && (!isProvenThisPeriod || epoch > deadline + periodEpochs)
  const owed = before?.owedSince ?? null
  const owedSince = isOverdue ? (owed ?? lastProven) : owed !== null && lastProven <= owed ? owed : null
  const late = epoch > deadline ? Math.ceil((epoch - deadline) / periodEpochs) : 0
  return {
    state: owedSince !== null ? 'overdue' : isProvenThisPeriod ? 'proven' : 'due',
    nextDue: deadline + periodEpochs * (isProvenThisPeriod ? Math.max(1, late) : late),
    owedSince,
    periods: unrecorded(reads, before, time),
  }
}

function unrecorded({ activation, deadline }: ProvingReads, before: ProvingRecord | undefined, time: ChainTime): ProvingVerdict['periods'] {
  const { epoch, periodEpochs, keptPeriods } = time
  const last = Math.floor((epoch - activation - 1) / periodEpochs) - 1
  const oldest = Math.max(0, last - keptPeriods + 1)
  const isSame = before !== undefined && before.activation === activation
  if (isSame && before.deadline !== null && before.nextPeriod !== null) return { next: Math.max(oldest, before.nextPeriod), last }
  // Nothing was due while the data set was empty: the first period counts whose proof is due now.
  if (before !== undefined) return { next: Math.max(oldest, Math.round(((deadline ?? 0) - activation) / periodEpochs) - 1), last }
  return { next: oldest, last }
}

/** Proofs in a row after which a missed one does not count against its provider any more; a day each on the live networks. */
const settlingPeriods = 3

/** Whether a missed proof is recent: the history of six weeks shows it either way. */
export const isMissRecent = ({
  missedPeriods,
  provenSinceMissed,
}: {
  readonly missedPeriods: number
  readonly provenSinceMissed: number
}) => missedPeriods > 0 && provenSinceMissed < settlingPeriods

export const endOfPeriod = ({ activation }: Pick<ProvingReads, 'activation'>, period: number, periodEpochs: number): number =>
  activation + (period + 1) * periodEpochs
