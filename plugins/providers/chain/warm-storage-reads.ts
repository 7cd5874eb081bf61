/** Reads our data sets and pieces on chain. Reads that decide an action are at the final epoch. */
import { CID } from 'multiformats/cid'
import { type Address, type Hex, hexToBytes, isAddressEqual } from 'viem'
import { type AdditionLimits, isAtLeast, limitsOfAddition } from './addition-limits-policy.ts'
import { type ChainPort, revertNameOf } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { decodeNonce, type NonceOutcome } from './nonce-policy.ts'
import { type DataSetObserver, openDataSetObserver } from './observed-data-sets.ts'
import { pdpAbi } from './pdp-abi.ts'

/** The order of entries is signed. Keys have at most 32 bytes, values at most 96. */
export interface MetadataEntry {
  readonly key: string
  readonly value: string
}

interface ChainDataSet {
  readonly dataSetId: bigint
  readonly clientDataSetId: bigint
  readonly providerId: bigint
  readonly payer: Address
  readonly payee: Address
  readonly serviceProvider: Address
  /** 0 while the service runs; after its termination the epoch up to which it is paid. */
  readonly endEpoch: bigint
  /** Lifecycle reserve that fees are drawn from, and fees already due, in 10^-18 USDFC. */
  readonly reserve: { readonly balance: bigint; readonly pending: bigint }
}

/** How a data set is paid. */
interface DataSetBilling {
  readonly dataSetId: bigint
  readonly providerId: bigint
  /** Its rail for storage, and those for CDN retrieval, which it may not have. */
  readonly rails: { readonly storage: bigint; readonly cdn: readonly bigint[] }
  /** Fees already due, in 10^-18 USDFC. */
  readonly pending: bigint
}

export type Liveness =
  | { readonly live: true }
  | {
      readonly live: false
      /** `terminated`: no pieces can be added, and proving continues to `endEpoch`. The other reasons are permanent. */
      readonly reason: 'absent' | 'deleted' | 'foreign_listener' | 'terminated'
      readonly endEpoch?: bigint
    }

/** `unknowable`: the data set is no longer live, so the chain cannot confirm a removal. */
export type PieceState = 'live' | 'gone' | 'unknowable'

interface LivePiece {
  readonly pieceId: bigint
  readonly pieceCid: string
}

interface ProvingStatus {
  /** False until the provider has started the first proving period, which is not a fault. */
  readonly isStarted: boolean
  readonly lastProvenEpoch: bigint
  /** null if none is scheduled. */
  readonly nextChallengeEpoch: bigint | null
  readonly deadline: bigint | null
  readonly isProvenThisPeriod: boolean
  readonly isOverdue: boolean
  readonly maxProvingPeriodEpochs: bigint
}

/** All methods reject with the chain client's errors. */
export interface WarmStorageReads {
  /** Decides an uncertain submission. Final. */
  nonceOutcome(payer: Address, nonce: bigint): Promise<NonceOutcome>
  /** Answers as nonceOutcome at the given epoch, so that concurrent reads can be sent in one request. */
  nonceAt(payer: Address, nonce: bigint, epoch: bigint): Promise<NonceOutcome>
  /** null if no data set has this id. At the final epoch unless `epoch` is given. */
  dataSet(dataSetId: bigint, epoch?: bigint): Promise<ChainDataSet | null>
  /** Whether pieces can be added. Final. */
  liveness(dataSetId: bigint): Promise<Liveness>
  /** All data sets of the payer, live or not, with their metadata. Final. */
  dataSetsOf(payer: Address): Promise<readonly (ChainDataSet & { readonly metadata: readonly MetadataEntry[] })[]>
  metadataOf(dataSetId: bigint): Promise<readonly MetadataEntry[]>
  /** Reads at the final epoch unless `epoch` is given. */
  pieceState(dataSetId: bigint, pieceId: bigint, epoch?: bigint): Promise<PieceState>
  /** The piece CID as text; null if the data set has no such piece or is not live. Final. */
  pieceCidOf(dataSetId: bigint, pieceId: bigint): Promise<string | null>
  /** Returns at most `limit` live pieces, ascending from the id `from`; equal CIDs may exist more than once. A node walks only through these. Final. */
  livePieces(page: { readonly dataSetId: bigint; readonly from: bigint; readonly limit: number }): Promise<readonly LivePiece[]>
  /** Piece ids queued for removal at the next proving period; empty if the data set is not live. Final. */
  scheduledRemovals(dataSetId: bigint): Promise<readonly bigint[]>
  /** Number of pieces that were ever added: their ids are below it; 0 if the data set is not live. Final. */
  addedPieces(dataSetId: bigint): Promise<bigint>
  /**
   * Limits of the next addition to the data set; null: it is not created yet. Read for each addition, because a live network is upgraded while the
   * service runs. At the head.
   */
  additionLimits(dataSetId: bigint | null): Promise<AdditionLimits>
  /** Number of billed 32-byte leaves; 0 if the data set is not live. At the head unless `epoch` is given. */
  leafCount(dataSetId: bigint, epoch?: bigint): Promise<bigint>
  /** Reads many of the payer's data sets at one epoch. */
  observer(payer: Address, epoch: bigint): Promise<DataSetObserver>
  /** The payment rails of all data sets of the payer at an epoch, also of those that end. */
  billingOf(payer: Address, epoch: bigint): Promise<readonly DataSetBilling[]>
  /** null if the data set is not live. At the head. */
  provingStatus(dataSetId: bigint): Promise<ProvingStatus | null>
}

const dataSetsPerPage = 100n
/** Bounds the data sets per wallet to 10,000. */
const dataSetPagesMax = 100
const cleanupSentinel = 2n ** 256n - 1n

export function openWarmStorageReads(chain: ChainPort): WarmStorageReads {
  const { fwss, pdpVerifier } = chain.network.contracts
  const pdp = { address: pdpVerifier, abi: pdpAbi } as const
  const view = async () => ({ address: await chain.warmStorageView(), abi: fwssViewAbi }) as const

  const dataSet = async (dataSetId: bigint, epoch?: bigint) =>
    toDataSet(
      await (epoch === undefined ? chain.readFinal : chain.readAt(epoch))({
        ...(await view()),
        functionName: 'getDataSet',
        args: [dataSetId],
      }),
    )
  const metadataOf = async (dataSetId: bigint) => {
    const [keys, values] = await chain.readFinal({ ...(await view()), functionName: 'getAllDataSetMetadata', args: [dataSetId] })
    return keys.map((key, index) => ({ key, value: values[index] ?? '' }))
  }
  const tuplesOf = async (payer: Address, read: ChainPort['read']) => listTuples(read, await chain.warmStorageView(), payer)
  const isLive = (dataSetId: bigint) => chain.readFinal({ ...pdp, functionName: 'dataSetLive', args: [dataSetId] })

  return {
    dataSet,
    metadataOf,
    additionLimits: (dataSetId) => readAdditionLimits(chain, dataSetId),
    async nonceOutcome(payer, nonce) {
      return decodeNonce(await chain.readFinal({ ...(await view()), functionName: 'clientNonces', args: [payer, nonce] }))
    },
    async nonceAt(payer, nonce, epoch) {
      return decodeNonce(await chain.readAt(epoch)({ ...(await view()), functionName: 'clientNonces', args: [payer, nonce] }))
    },
    async liveness(dataSetId) {
      const listenerRead = chain.readFinal({ ...pdp, functionName: 'getDataSetListener', args: [dataSetId] })
      const [found, isPdpLive, listener] = await Promise.all([dataSet(dataSetId), isLive(dataSetId), undefinedIfNotLive(listenerRead)])
      if (!isPdpLive || listener === undefined) return { live: false, reason: found === null ? 'absent' : 'deleted' }
      if (!isAddressEqual(listener, fwss)) return { live: false, reason: 'foreign_listener' }
      if (found === null) return { live: false, reason: 'absent' }
      return found.endEpoch === 0n ? { live: true } : { live: false, reason: 'terminated', endEpoch: found.endEpoch }
    },
    async dataSetsOf(payer) {
      const found = (await tuplesOf(payer, chain.readFinal)).map(toDataSet).filter((entry) => entry !== null)
      return await Promise.all(found.map(async (entry) => ({ ...entry, metadata: await metadataOf(entry.dataSetId) })))
    },
    async pieceState(dataSetId, pieceId, epoch) {
      const read = epoch === undefined ? chain.readFinal : chain.readAt(epoch)
      // pieceLive alone is not enough: it is also false for every piece of a data set that is not live.
      const setRead = read({ ...pdp, functionName: 'dataSetLive', args: [dataSetId] })
      const pieceRead = read({ ...pdp, functionName: 'pieceLive', args: [dataSetId, pieceId] })
      const [isSetLive, isPieceLive] = await Promise.all([setRead, undefinedIfNotLive(pieceRead)])
      if (!isSetLive || isPieceLive === undefined) return 'unknowable'
      return isPieceLive ? 'live' : 'gone'
    },
    async pieceCidOf(dataSetId, pieceId) {
      const cid = await undefinedIfNotLive(chain.readFinal({ ...pdp, functionName: 'getPieceCid', args: [dataSetId, pieceId] }))
      return cid === undefined || cid.data === '0x' ? null : pieceCidText(cid.data)
    },
    async livePieces({ dataSetId, from, limit }) {
      const args = [dataSetId, from, BigInt(limit)] as const
      const [cids, ids] = (await undefinedIfNotLive(chain.readFinal({ ...pdp, functionName: 'getActivePiecesByCursor', args }))) ?? [[], []]
      return ids.map((pieceId, at) => ({ pieceId, pieceCid: pieceCidText(cids[at]?.data ?? '0x') }))
    },
    async scheduledRemovals(dataSetId) {
      return (await undefinedIfNotLive(chain.readFinal({ ...pdp, functionName: 'getScheduledRemovals', args: [dataSetId] }))) ?? []
    },
    async addedPieces(dataSetId) {
      return (await undefinedIfNotLive(chain.readFinal({ ...pdp, functionName: 'getNextPieceId', args: [dataSetId] }))) ?? 0n
    },
    async leafCount(dataSetId, epoch) {
      const read = epoch === undefined ? chain.read : chain.readAt(epoch)
      return (await undefinedIfNotLive(read({ ...pdp, functionName: 'getDataSetLeafCount', args: [dataSetId] }))) ?? 0n
    },
    billingOf: async (payer, epoch) =>
      (await tuplesOf(payer, chain.readAt(epoch))).filter(({ pdpRailId }) => pdpRailId !== 0n).map(toBilling),
    provingStatus: (dataSetId) => readProvingStatus(chain, dataSetId),
    observer: (payer, epoch) => openDataSetObserver(chain, payer, epoch),
  }
}

/** All data sets of the payer, by pages: a call for all of them runs out of gas. */
async function listTuples(read: ChainPort['read'], address: Address, payer: Address): Promise<readonly DataSetTuple[]> {
  const found: DataSetTuple[] = []
  for (let page = 0; page < dataSetPagesMax; page++) {
    const args = [payer, BigInt(page) * dataSetsPerPage, dataSetsPerPage] as const
    const tuples = await read({ address, abi: fwssViewAbi, functionName: 'getClientDataSets', args })
    found.push(...tuples)
    if (BigInt(tuples.length) < dataSetsPerPage) break
  }
  return found
}

async function readAdditionLimits(chain: ChainPort, dataSetId: bigint | null): Promise<AdditionLimits> {
  const { fwss, pdpVerifier } = await chain.contractVersions()
  const pdp = { address: chain.network.contracts.pdpVerifier, abi: pdpAbi } as const
  const hasLayouts = isAtLeast(pdpVerifier, [3, 5])
  const compactFrom = hasLayouts ? await chain.read({ ...pdp, functionName: 'legacyPieceStorageIdLimit' }) : undefined
  return limitsOfAddition(fwss, { dataSetId, compactFrom })
}

async function readProvingStatus(chain: ChainPort, dataSetId: bigint): Promise<ProvingStatus | null> {
  const pdp = { address: chain.network.contracts.pdpVerifier, abi: pdpAbi, args: [dataSetId] } as const
  const view = { address: await chain.warmStorageView(), abi: fwssViewAbi, args: [dataSetId] } as const
  const proven = await undefinedIfNotLive(
    Promise.all([
      chain.read({ ...pdp, functionName: 'getDataSetLastProvenEpoch' }),
      chain.read({ ...pdp, functionName: 'getNextChallengeEpoch' }),
    ]),
  )
  if (proven === undefined) return null
  const [activation, deadline, isProvenThisPeriod, config, epoch] = await Promise.all([
    chain.read({ ...view, functionName: 'provingActivationEpoch' }),
    chain.read({ ...view, functionName: 'provingDeadline' }),
    chain.read({ ...view, functionName: 'provenThisPeriod' }),
    chain.read({ address: view.address, abi: fwssViewAbi, functionName: 'getPDPConfig' }),
    chain.currentEpoch(),
  ])
  const [lastProvenEpoch, nextChallengeEpoch] = proven
  return {
    isStarted: activation !== 0n,
    lastProvenEpoch,
    nextChallengeEpoch: nextChallengeEpoch === 0n || nextChallengeEpoch === cleanupSentinel ? null : nextChallengeEpoch,
    deadline: deadline === 0n ? null : deadline,
    isProvenThisPeriod,
    isOverdue: deadline !== 0n && epoch > deadline && !isProvenThisPeriod,
    maxProvingPeriodEpochs: config[0],
  }
}

interface DataSetTuple extends Omit<ChainDataSet, 'endEpoch' | 'reserve'> {
  readonly pdpRailId: bigint
  readonly cacheMissRailId: bigint
  readonly cdnRailId: bigint
  readonly pdpEndEpoch: bigint
  readonly pendingOneTimePayments: bigint
  readonly lifecycleReserveBalance: bigint
}

/** For an absent data set the contract returns a tuple of zeros, except for the id. */
function toDataSet(tuple: DataSetTuple): ChainDataSet | null {
  if (tuple.pdpRailId === 0n) return null
  const { dataSetId, clientDataSetId, providerId, payer, payee, serviceProvider } = tuple
  const reserve = { balance: tuple.lifecycleReserveBalance, pending: tuple.pendingOneTimePayments }
  return { dataSetId, clientDataSetId, providerId, payer, payee, serviceProvider, endEpoch: tuple.pdpEndEpoch, reserve }
}

const toBilling = ({
  dataSetId,
  providerId,
  pdpRailId,
  cacheMissRailId,
  cdnRailId,
  pendingOneTimePayments,
}: DataSetTuple): DataSetBilling => ({
  dataSetId,
  providerId,
  rails: { storage: pdpRailId, cdn: [cacheMissRailId, cdnRailId].filter((id) => id !== 0n) },
  pending: pendingOneTimePayments,
})

/** PieceCIDv2 as text. Bytes that are not a CID, an invalid answer of a node, stay hex, which differs from every recorded piece CID. */
function pieceCidText(bytes: Hex): string {
  try {
    return CID.decode(hexToBytes(bytes)).toString()
  } catch {
    return bytes
  }
}

/** Resolves to undefined when the read reverts because the data set is not live or does not exist. */
async function undefinedIfNotLive<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    const name = revertNameOf(error)
    if (name === 'DataSetNotLive' || name === 'DataSetNotFound') return undefined
    throw error
  }
}
