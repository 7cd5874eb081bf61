import type { DataSetObserver, ObservedDataSet } from '#plugins/providers'
import type { DataSetFacts } from '#plugins/replication'
import type { DataSetObservation, ProvingPeriod } from './observation-store.ts'
import { endOfPeriod, judgeProving, type ProvingVerdict } from './proving-policy.ts'

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
  const found = await observer.observe(
    subjects.map(({ facts }) => ({ dataSetId: BigInt(facts.dataSetId), clientDataSetId: BigInt(facts.clientDataSetId) })),
  )
  return Promise.all(
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
}

async function lookAt({ observer, nowMs, keptPeriods }: GroupDeps, subject: Subject, seen: ObservedDataSet): Promise<Look> {
  const { facts, before, movingPieces, isUnreachable } = subject
  const id = BigInt(facts.dataSetId)
  const epoch = Number(observer.epoch)
  const periodEpochs = Number(observer.periodEpochs)
  const reads = seen.proving && {
    activation: Number(seen.proving.activationEpoch),
    deadline: seen.proving.deadline === null ? null : Number(seen.proving.deadline),
    isProvenThisPeriod: seen.proving.isProvenThisPeriod,
    lastProven: Number(seen.proving.lastProvenEpoch),
  }
  const verdict = reads && judgeProving(reads, before, { epoch, periodEpochs, keptPeriods })
  const isCountable = seen.proving !== null && seen.addedPieces <= BigInt(observer.countedPiecesMax)
  const [pieceCount, isMatching, periods] = await Promise.all([
    isCountable ? observer.activePieces([id]).then(([count]) => (count == null ? null : Number(count))) : null,
    before?.metadataMatches ?? (seen.proving === null ? null : matchesMetadata(observer, facts)),
    readPeriods(observer, id, { activation: reads?.activation ?? 0, verdict }),
  ])
  const hasPieces = pieceCount === null ? seen.leaves > 0n : pieceCount > 0
  const chainState = seen.state === 'terminated' && observer.epoch > (seen.endEpoch ?? 0n) ? 'ended' : seen.state
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
      endEpoch: seen.endEpoch === null ? null : Number(seen.endEpoch),
      closedRounds: seen.state === 'live' ? 0 : Math.min((before?.closedRounds ?? 0) + 1, closedRoundsMax),
      isInDebt: seen.proving !== null && (observer.isInDebt || seen.isReserveShort),
      providerMatches: seen.providerId === null || seen.providerId.toString() === facts.providerId,
      metadataMatches: isMatching,
      piecesMatch: seen.proving === null || areExpected({ pieceCount, hasPieces }, facts.committedCopies, movingPieces),
      isUnreachable,
      pieceCount,
      hasPieces,
      activation: reads?.activation ?? 0,
      deadline: reads?.deadline ?? null,
      periodEpochs,
      proving: verdict?.state ?? null,
      lastProven: reads?.lastProven ?? before?.lastProven ?? null,
      nextDue: verdict?.nextDue ?? null,
      owedSince: verdict ? verdict.owedSince : (before?.owedSince ?? null),
      nextPeriod: verdict?.periods ? verdict.periods.next + periods.length : null,
      observedPeriods: before?.observedPeriods ?? 0,
      missedPeriods: before?.missedPeriods ?? 0,
    },
  }
}

/** Further rounds make no difference. */
const closedRoundsMax = 100

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
} as const
