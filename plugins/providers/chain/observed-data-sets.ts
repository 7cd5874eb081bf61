/** Reads what the chain says about many of our data sets at one epoch, a few requests for hundreds of them. */
import { type Address, parseAbi } from 'viem'
import { type ChainPort, revertNameOf } from './chain-port.ts'
import { fwssViewAbi } from './fwss-abi.ts'
import { epochsAheadMax, implausible, judgeAnswers, type ObservedDataSet } from './judge-data-set.ts'
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
/** The hash of the block before the one that the call sees, which tells one fork from another. */
const forkAbi = parseAbi(['function getLastBlockHash() view returns (bytes32 blockHash)'])
const accountsAbi = parseAbi([
  'function accounts(address token, address owner) view returns (uint256 funds, uint256 lockupCurrent, uint256 lockupRate, uint256 lockupLastSettledAt)',
])

/** A data set of ours, by its id on chain and the nonce of its creation. */
interface ObservedId {
  readonly dataSetId: bigint
  readonly clientDataSetId: bigint
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
  /** Rejects when the node answers from another fork than at the start: what was read together does not fit together. */
  requireSameFork(): Promise<void>
  /** Calls of contracts so far, and the requests in which they were sent. */
  readonly calls: number
  readonly requests: number
}

export async function openDataSetObserver(chain: ChainPort, payer: Address, epoch: bigint): Promise<DataSetObserver> {
  const { fwss, pdpVerifier, filecoinPay, usdfc, multicall3 } = chain.network.contracts
  const view = { address: await chain.warmStorageView(), abi: fwssViewAbi } as const
  const pdp = { address: pdpVerifier, abi: pdpAbi } as const
  const read = chain.readAt(epoch)
  const readFork = () => read({ address: multicall3, abi: forkAbi, functionName: 'getLastBlockHash' })
  const [fork, [period], [funds, lockup, rate, settledAt]] = await Promise.all([
    readFork(),
    read({ ...view, functionName: 'getPDPConfig' }),
    read({ address: filecoinPay, abi: accountsAbi, functionName: 'accounts', args: [usdfc, payer] }),
  ])
  if (period <= 0n || period > epochsAheadMax) throw implausible(`proving periods of ${period} epochs`)
  if (settledAt > epoch) throw implausible(`an account that is settled after epoch ${epoch}`)
  const sent = countRequests()
  sent.add(3, callBytes.two)

  async function requireSameFork(): Promise<void> {
    sent.add(1, callBytes.one)
    if ((await readFork()) !== fork) throw implausible('another fork of the chain than at the start of the reads')
  }

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
    return judgeAnswers(
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
    async observe(ids) {
      const [found] = await Promise.all([
        Promise.all(ids.map((id) => observeOne(id).catch((error: unknown) => error as Error))),
        requireSameFork(),
      ])
      return found
    },
    requireSameFork,
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
        dataSetIds.map(async (dataSetId) => {
          const call = { address: pdpVerifier, abi: observationAbi, functionName: 'getActivePieceCount', args: [dataSetId] } as const
          const count = await nullUnlessLive(read(call))
          if (count !== null && count > BigInt(countedPiecesMax)) throw implausible(`${count} pieces in a data set of fewer`)
          return count
        }),
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

async function nullUnlessLive<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    const name = revertNameOf(error)
    if (name === 'DataSetNotLive' || name === 'DataSetNotFound') return null
    throw error
  }
}
