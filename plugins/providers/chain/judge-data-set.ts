/** Reads what the answers of the chain about one data set say. Pure; throws for answers that are impossible, as if the node were silent. */
import { type Address, isAddressEqual } from 'viem'
import { decodeNonce } from './nonce-policy.ts'

/** A service ends and a proof is due within months: later epochs, and longer periods, are nonsense. */
export const epochsAheadMax = 2n ** 31n

export interface ObservedDataSet {
  /** `terminated`: its service ends at `endEpoch`. `absent`: no data set has the id. `deleted`: it has ended and is gone. */
  readonly state: 'live' | 'terminated' | 'absent' | 'deleted' | 'unmanaged'
  /** The creation is recorded with this id. Without it, the absence of a data set is an answer about another chain or an older state. */
  readonly isCreationKnown: boolean
  /** Null when it is absent. */
  readonly providerId: bigint | null
  readonly endEpoch: bigint | null
  /** Due fees exceed its reserve. */
  readonly isReserveShort: boolean
  /** Null unless it is live or terminated. */
  readonly proving: {
    /** 0: no period has begun. */
    readonly activationEpoch: bigint
    /** Null: no proof is due, because it is empty or was not begun. */
    readonly deadline: bigint | null
    readonly isProvenThisPeriod: boolean
    /** The epoch of its creation before the first proof. */
    readonly lastProvenEpoch: bigint
  } | null
  /** Pieces that were ever added, and billed leaves. */
  readonly addedPieces: bigint
  readonly leaves: bigint
}

interface DataSetAnswers {
  readonly record: {
    readonly pdpRailId: bigint
    readonly dataSetId: bigint
    readonly providerId: bigint
    readonly pdpEndEpoch: bigint
    readonly pendingOneTimePayments: bigint
    readonly lifecycleReserveBalance: bigint
  }
  readonly nonce: bigint
  readonly isLive: boolean
  readonly activationEpoch: bigint
  readonly deadline: bigint
  readonly isProvenThisPeriod: boolean
  readonly listener: Address | null
  readonly lastProvenEpoch: bigint | null
  readonly leaves: bigint | null
  readonly addedPieces: bigint | null
}

interface Asked {
  readonly dataSetId: bigint
  readonly fwss: Address
  readonly epoch: bigint
}

export function judgeAnswers({ dataSetId, fwss, epoch }: Asked, answers: DataSetAnswers): ObservedDataSet {
  const { record, isLive, listener, lastProvenEpoch, leaves, addedPieces } = answers
  const isKnown = record.pdpRailId !== 0n
  requirePlausible({ dataSetId, epoch }, answers)
  const creation = decodeNonce(answers.nonce)
  const isThere = isLive && listener !== null && lastProvenEpoch !== null
  const isOurs = isThere && isAddressEqual(listener, fwss)
  return {
    state: stateOf({ isKnown, isThere, isOurs, endEpoch: record.pdpEndEpoch }),
    isCreationKnown: creation.landed && creation.dataSetId === dataSetId,
    providerId: isKnown ? record.providerId : null,
    endEpoch: isKnown && record.pdpEndEpoch !== 0n ? record.pdpEndEpoch : null,
    isReserveShort: isKnown && record.pendingOneTimePayments > record.lifecycleReserveBalance,
    proving: isOurs ? toProving(answers, lastProvenEpoch) : null,
    addedPieces: addedPieces ?? 0n,
    leaves: leaves ?? 0n,
  }
}

const toProving = ({ activationEpoch, deadline, isProvenThisPeriod }: DataSetAnswers, lastProvenEpoch: bigint) => ({
  activationEpoch,
  deadline: deadline === 0n ? null : deadline,
  isProvenThisPeriod,
  lastProvenEpoch,
})

function requirePlausible(
  { dataSetId, epoch }: Omit<Asked, 'fwss'>,
  { record, activationEpoch, deadline, lastProvenEpoch }: DataSetAnswers,
): void {
  if (record.pdpRailId !== 0n && record.dataSetId !== dataSetId)
    throw implausible(`data set ${record.dataSetId} when asked for ${dataSetId}`)
  if (activationEpoch > epoch || (lastProvenEpoch ?? 0n) > epoch) throw implausible(`a proof after epoch ${epoch}`)
  for (const ahead of [deadline, record.pdpEndEpoch])
    if (ahead > epoch + epochsAheadMax) throw implausible(`epoch ${ahead} as the end of a proving period or of a service`)
}

interface Facts {
  readonly isKnown: boolean
  readonly isThere: boolean
  readonly isOurs: boolean
  readonly endEpoch: bigint
}

function stateOf({ isKnown, isThere, isOurs, endEpoch }: Facts): ObservedDataSet['state'] {
  if (!isThere) return isKnown ? 'deleted' : 'absent'
  if (!isOurs || !isKnown) return 'unmanaged'
  return endEpoch === 0n ? 'live' : 'terminated'
}

/** The answer is not used, as if the node were silent. */
export const implausible = (answer: string): Error =>
  Object.assign(new Error(`the chain node reports ${answer}, which is impossible`), { code: 'chain_unreachable' })
