import type { DataSetObserver, ObservedDataSet } from '#plugins/providers'
import type { DataSetFacts } from '#plugins/replication'
import type { DataSetObservation, ProvingPeriod } from './observation-store.ts'
import { endOfPeriod, judgeProving, type ProvingReads, type ProvingVerdict } from './proving-policy.ts'

/** Ended periods of a data set that one look reads; the next one continues. */
const periodsAtOnceMax = 100
/** Characters of an error that are kept. */
const errorCharactersMax = 500

/** A data set that is read on chain, with the look before. */
export interface Subject {
  readonly facts: DataSetFacts & { readonly dataSetId: string; readonly clientDataSetId: string }
  readonly before: DataSetObservation | undefined
  /** Pieces that may be on chain, or gone from it, before the records say so. */
  readonly movingPieces: number
  readonly isUnreachable: boolean
}

export interface Look {
  readonly subject: Subject
  readonly observation: DataSetObservation
  readonly periods: readonly ProvingPeriod[]
  /** Periods before this one are not kept. */
  readonly keptFrom: number
  /** False: nothing was learnt. */
  readonly isSeen: boolean
}

interface GroupDeps {
  readonly observer: DataSetObserver
  readonly nowMs: number
  /** Periods that are kept. */
  readonly keptPeriods: number
}

/** Looks at some data sets, with one request for their state and one for what follows from it. An error of one leaves the others. */
export async function observeGroup(deps: GroupDeps, subjects: readonly Subject[]): Promise<readonly Look[]> {
  const { observer } = deps
  let found: Awaited<ReturnType<DataSetObserver['observe']>>
  try {
    found = await observer.observe(
      subjects.map(({ facts }) => ({ dataSetId: BigInt(facts.dataSetId), clientDataSetId: BigInt(facts.clientDataSetId) })),
    )
  } catch (error) {
    return subjects.map((subject) => failedLook(deps, subject, error))
  }
  // Sent with the reads that follow.
  const fork = observer.requireSameFork().then(
    () => undefined,
    (error: unknown) => error as Error,
  )
  const looks = await Promise.all(
    subjects.map(async (subject, index) => {
      const seen = found[index] as ObservedDataSet | Error
      try {
        if (seen instanceof Error) throw seen
        // The creation is final or followed by its nonce: a node that does not know it is behind, or of another chain.
        if (seen.state === 'absent' && !seen.isCreationKnown) throw new Error('the chain node does not know the creation of the data set')
        return await lookAt(deps, subject, seen)
      } catch (error) {
        return failedLook(deps, subject, error)
      }
    }),
  )
  const otherFork = await fork
  return otherFork === undefined ? looks : subjects.map((subject) => failedLook(deps, subject, otherFork))
}

async function lookAt({ observer, nowMs, keptPeriods }: GroupDeps, subject: Subject, seen: ObservedDataSet): Promise<Look> {
  const { facts, before, movingPieces, isUnreachable } = subject
  const id = BigInt(facts.dataSetId)
  const epoch = Number(observer.epoch)
  const periodEpochs = Number(observer.periodEpochs)
  const reads = seen.proving && toReads(seen.proving)
  const verdict = reads && judgeProving(reads, before, { epoch, periodEpochs, keptPeriods })
  const isCountable = seen.proving !== null && seen.addedPieces <= BigInt(observer.countedPiecesMax)
  const [pieceCount, isMatching, periods] = await Promise.all([
    isCountable ? observer.activePieces([id]).then(([count]) => numberOf(count ?? null)) : null,
    before?.metadataMatches ?? (seen.proving === null ? null : matchesMetadata(observer, facts)),
    readPeriods(observer, id, { activation: reads?.activation ?? 0, verdict }),
  ])
  const hasPieces = pieceCount === null ? seen.leaves > 0n : pieceCount > 0
  const chainState = stateAt(seen, observer.epoch)
  const last = verdict?.periods?.last ?? 0
  return {
    subject,
    isSeen: true,
    periods,
    keptFrom: Math.max(0, last - keptPeriods + 1),
    observation: {
      dataSetId: facts.id,
      clientId: facts.clientDataSetId,
      chainId: facts.dataSetId,
      checkedAtMs: nowMs,
      error: null,
      chainState,
      endEpoch: numberOf(seen.endEpoch),
      closedRounds: closedRounds(seen, before),
      isInDebt: seen.proving !== null && (observer.isInDebt || seen.isReserveShort),
      providerMatches: isProvider(seen, facts.providerId),
      metadataMatches: isMatching,
      piecesMatch: seen.proving === null || areExpected({ pieceCount, hasPieces }, facts.committedCopies, movingPieces),
      isUnreachable,
      pieceCount,
      hasPieces,
      periodEpochs,
      ...provingColumns({ reads, verdict, before, recorded: periods.length }),
      observedPeriods: before?.observedPeriods ?? 0,
      missedPeriods: before?.missedPeriods ?? 0,
      provenSinceMissed: before?.provenSinceMissed ?? 0,
    },
  }
}

/** Further rounds make no difference. */
const closedRoundsMax = 100

const closedRounds = ({ state }: ObservedDataSet, before: DataSetObservation | undefined): number =>
  state === 'live' ? 0 : Math.min((before?.closedRounds ?? 0) + 1, closedRoundsMax)

const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value))

const isProvider = (seen: ObservedDataSet, providerId: string): boolean =>
  seen.providerId === null || seen.providerId.toString() === providerId

const stateAt = ({ state, endEpoch }: ObservedDataSet, epoch: bigint): DataSetObservation['chainState'] =>
  state === 'terminated' && epoch > (endEpoch ?? 0n) ? 'ended' : state

const toReads = (proving: NonNullable<ObservedDataSet['proving']>): ProvingReads => ({
  activation: Number(proving.activationEpoch),
  deadline: numberOf(proving.deadline),
  isProvenThisPeriod: proving.isProvenThisPeriod,
  lastProven: Number(proving.lastProvenEpoch),
})

interface ProvingFound {
  readonly reads: ProvingReads | null
  readonly verdict: ProvingVerdict | null
  readonly before: DataSetObservation | undefined
  /** Periods that this look records. */
  readonly recorded: number
}

/** Keeps what the look before found, as far as it still tells something, without an answer about proofs. */
function provingColumns({ reads, verdict, before, recorded }: ProvingFound) {
  if (!reads || !verdict)
    return {
      activation: 0,
      deadline: null,
      proving: null,
      lastProven: before?.lastProven ?? null,
      nextDue: null,
      owedSince: before?.owedSince ?? null,
      nextPeriod: null,
    }
  const { state: proving, nextDue, owedSince, periods } = verdict
  const { activation, deadline, lastProven } = reads
  return { activation, deadline, proving, lastProven, nextDue, owedSince, nextPeriod: periods ? periods.next + recorded : null }
}

/** A piece count that the records explain: pieces on their way may be on either side. */
function areExpected(
  { pieceCount, hasPieces }: Pick<DataSetObservation, 'pieceCount' | 'hasPieces'>,
  recorded: number,
  moving: number,
): boolean {
  if (pieceCount === null) return hasPieces || recorded <= moving
  return Math.abs(pieceCount - recorded) <= moving
}

async function matchesMetadata(observer: DataSetObserver, { dataSetId, bucketName }: Subject['facts']): Promise<boolean | null> {
  const [metadata] = await observer.metadata([BigInt(dataSetId)])
  return metadata === undefined ? null : metadata.get('bucket') === bucketName && metadata.get('source') === 'svc'
}

async function readPeriods(
  observer: DataSetObserver,
  dataSetId: bigint,
  { activation, verdict }: { readonly activation: number; readonly verdict: ProvingVerdict | null },
): Promise<readonly ProvingPeriod[]> {
  if (!verdict?.periods) return []
  const { next, last } = verdict.periods
  const periods = Array.from({ length: Math.max(0, Math.min(last - next + 1, periodsAtOnceMax)) }, (_, index) => next + index)
  const proven = await observer.provenPeriods(periods.map((period) => ({ dataSetId, period: BigInt(period) })))
  return periods.map((period, index) => ({
    period,
    endEpoch: endOfPeriod({ activation }, period, Number(observer.periodEpochs)),
    isProven: proven[index] === true,
  }))
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, errorCharactersMax)

/** Keeps what the look before found. */
function failedLook({ nowMs }: GroupDeps, subject: Subject, error: unknown): Look {
  const { facts, before } = subject
  const observation = { ...unseen, ...before, dataSetId: facts.id, clientId: facts.clientDataSetId, chainId: facts.dataSetId }
  return { subject, isSeen: false, periods: [], keptFrom: 0, observation: { ...observation, checkedAtMs: nowMs, error: textOf(error) } }
}

const unseen = {
  chainState: null,
  endEpoch: null,
  closedRounds: 0,
  isInDebt: false,
  providerMatches: true,
  metadataMatches: null,
  piecesMatch: true,
  isUnreachable: false,
  pieceCount: null,
  hasPieces: false,
  activation: 0,
  deadline: null,
  periodEpochs: 0,
  proving: null,
  lastProven: null,
  nextDue: null,
  owedSince: null,
  nextPeriod: null,
  observedPeriods: 0,
  missedPeriods: 0,
  provenSinceMissed: 0,
} as const
