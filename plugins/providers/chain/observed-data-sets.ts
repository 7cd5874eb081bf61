/** Reads what the chain says about many of our data sets at one epoch, a few requests for hundreds of them. */
import { type Address, isAddressEqual, parseAbi } from 'viem'
import { type ChainPort, revertNameOf } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { decodeNonce } from './nonce-policy.ts'
import { pdpAbi } from './pdp-abi.ts'

/** Data sets of one multicall: their ten calls are below its 16 KiB of calldata. */
const atOnceMax = 40
/** Calldata of a call with one argument, and of one with two; the chain client fills multicalls up to the limit. */
const callBytes = { one: 36, two: 68 } as const
const multicallBytesMax = 16_384
/** A node counts the pieces of a data set one by one, and refuses it for many. */
const countedPiecesMax = 2000

/** Only for reads of this file: each costs a request or a part of one. */
const observationAbi = parseAbi([
  'function provenPeriods(uint256 dataSetId, uint256 periodId) view returns (bool)',
  'function getActivePieceCount(uint256 setId) view returns (uint256 activeCount)',
  'error DataSetNotLive()',
  'error DataSetNotFound()',
])
const accountsAbi = parseAbi([
  'function accounts(address token, address owner) view returns (uint256 funds, uint256 lockupCurrent, uint256 lockupRate, uint256 lockupLastSettledAt)',
])

/** A data set of ours, by its id on chain and the nonce of its creation. */
interface ObservedId {
  readonly dataSetId: bigint
  readonly clientDataSetId: bigint
}

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

/** Reads at one epoch. Those that are started together are sent in few requests. */
export interface DataSetObserver {
  readonly epoch: bigint
  /** Length of a proving period. */
  readonly periodEpochs: bigint
  /** Whether the payment account owes more than it has. */
  readonly isInDebt: boolean
  /** Data sets of one request. */
  readonly atOnceMax: number
  /** `activePieces` is for data sets to which at most this many pieces were added. */
  readonly countedPiecesMax: number
  /** Answers in the order of the ids. An answer that cannot be is an error of that data set alone. */
  observe(ids: readonly ObservedId[]): Promise<readonly (ObservedDataSet | Error)[]>
  provenPeriods(periods: readonly { readonly dataSetId: bigint; readonly period: bigint }[]): Promise<readonly boolean[]>
  /** Null: it is not live. */
  activePieces(dataSetIds: readonly bigint[]): Promise<readonly (bigint | null)[]>
  metadata(dataSetIds: readonly bigint[]): Promise<readonly ReadonlyMap<string, string>[]>
  /** Calls of contracts so far, and the requests in which they were sent. */
  readonly calls: number
  readonly requests: number
}

export async function openDataSetObserver(chain: ChainPort, payer: Address, epoch: bigint): Promise<DataSetObserver> {
  const { fwss, pdpVerifier, filecoinPay, usdfc } = chain.network.contracts
  const view = { address: await chain.warmStorageView(), abi: fwssViewAbi } as const
  const pdp = { address: pdpVerifier, abi: pdpAbi } as const
  const read = chain.readAt(epoch)
  const [[period], [funds, lockup, rate, settledAt]] = await Promise.all([
    read({ ...view, functionName: 'getPDPConfig' }),
    read({ address: filecoinPay, abi: accountsAbi, functionName: 'accounts', args: [usdfc, payer] }),
  ])
  if (period <= 0n || settledAt > epoch) throw implausible(`proving periods of ${period} epochs`)
  const sent = countRequests()
  sent.add(2, callBytes.two)

  async function observeOne({ dataSetId, clientDataSetId }: ObservedId): Promise<ObservedDataSet> {
    sent.add(9, callBytes.one)
    sent.add(1, callBytes.two)
    const args = [dataSetId] as const
    // Started together, so that they are in one request.
    const reads = Promise.all([
      read({ ...view, functionName: 'getDataSet', args }),
      read({ ...view, functionName: 'clientNonces', args: [payer, clientDataSetId] }),
      read({ ...pdp, functionName: 'dataSetLive', args }),
      read({ ...view, functionName: 'provingActivationEpoch', args }),
      read({ ...view, functionName: 'provingDeadline', args }),
      read({ ...view, functionName: 'provenThisPeriod', args }),
    ])
    const whileLive = Promise.all([
      nullUnlessLive(read({ ...pdp, functionName: 'getDataSetListener', args })),
      nullUnlessLive(read({ ...pdp, functionName: 'getDataSetLastProvenEpoch', args })),
      nullUnlessLive(read({ ...pdp, functionName: 'getDataSetLeafCount', args })),
      nullUnlessLive(read({ ...pdp, functionName: 'getNextPieceId', args })),
    ])
    const [[record, nonce, isLive, activationEpoch, deadline, isProvenThisPeriod], [listener, lastProvenEpoch, leaves, addedPieces]] =
      await Promise.all([reads, whileLive])
    return judge(
      { dataSetId, fwss, epoch },
      { record, nonce, isLive, activationEpoch, deadline, isProvenThisPeriod, listener, lastProvenEpoch, leaves, addedPieces },
    )
  }

  return {
    ...furtherReads(chain, { view: view.address, read, sent }),
    epoch,
    periodEpochs: period,
    atOnceMax,
    countedPiecesMax,
    isInDebt: lockup + rate * (epoch - settledAt) > funds,
    observe: (ids) => Promise.all(ids.map((id) => observeOne(id).catch((error: unknown) => error as Error))),
    get calls() {
      return sent.calls
    },
    get requests() {
      return sent.requests
    },
  }
}

interface ReadDeps {
  readonly view: Address
  readonly read: ReturnType<ChainPort['readAt']>
  readonly sent: ReturnType<typeof countRequests>
}

/** Reads of some data sets that follow from the first ones. */
function furtherReads(
  { network }: ChainPort,
  { view, read, sent }: ReadDeps,
): Pick<DataSetObserver, 'provenPeriods' | 'activePieces' | 'metadata'> {
  const { pdpVerifier } = network.contracts
  return {
    provenPeriods(periods) {
      sent.add(periods.length, callBytes.two)
      return Promise.all(
        periods.map(({ dataSetId, period }) =>
          read({ address: view, abi: observationAbi, functionName: 'provenPeriods', args: [dataSetId, period] }),
        ),
      )
    },
    activePieces(dataSetIds) {
      sent.add(dataSetIds.length, callBytes.one)
      return Promise.all(
        dataSetIds.map((dataSetId) =>
          nullUnlessLive(read({ address: pdpVerifier, abi: observationAbi, functionName: 'getActivePieceCount', args: [dataSetId] })),
        ),
      )
    },
    metadata(dataSetIds) {
      sent.add(dataSetIds.length, callBytes.one)
      return Promise.all(
        dataSetIds.map(async (dataSetId) => {
          const [keys, values] = await read({ address: view, abi: fwssViewAbi, functionName: 'getAllDataSetMetadata', args: [dataSetId] })
          return new Map(keys.map((key, index) => [key, values[index] ?? '']))
        }),
      )
    },
  }
}

interface Answers {
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

function judge({ dataSetId, fwss, epoch }: Asked, answers: Answers): ObservedDataSet {
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

const toProving = ({ activationEpoch, deadline, isProvenThisPeriod }: Answers, lastProvenEpoch: bigint) => ({
  activationEpoch,
  deadline: deadline === 0n ? null : deadline,
  isProvenThisPeriod,
  lastProvenEpoch,
})

function requirePlausible({ dataSetId, epoch }: Omit<Asked, 'fwss'>, { record, activationEpoch, lastProvenEpoch }: Answers): void {
  if (record.pdpRailId !== 0n && record.dataSetId !== dataSetId)
    throw implausible(`data set ${record.dataSetId} when asked for ${dataSetId}`)
  if (activationEpoch > epoch || (lastProvenEpoch ?? 0n) > epoch) throw implausible(`a proof after epoch ${epoch}`)
}

/** Counts as the chain client does: the calls of one turn of the event loop are in one multicall, up to its size. */
function countRequests() {
  const counts = { calls: 0, requests: 0 }
  let bytes: number | undefined
  return {
    add(calls: number, bytesOfOne: number) {
      for (let call = 0; call < calls; call++) {
        if (bytes === undefined) setImmediate(() => (bytes = undefined))
        if (bytes === undefined || bytes + bytesOfOne > multicallBytesMax) {
          counts.requests += 1
          bytes = 0
        }
        bytes += bytesOfOne
      }
      counts.calls += calls
    },
    get calls() {
      return counts.calls
    },
    get requests() {
      return counts.requests
    },
  }
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
const implausible = (answer: string): Error =>
  Object.assign(new Error(`the chain node reports ${answer}, which is impossible`), { code: 'chain_unreachable' })

async function nullUnlessLive<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    const name = revertNameOf(error)
    if (name === 'DataSetNotLive' || name === 'DataSetNotFound') return null
    throw error
  }
}
