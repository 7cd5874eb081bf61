// Keeps a provider's data sets proven: starts periods, proves in the window, lets removals take effect.
import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { verifierAbi, warmStorageAbi } from '../chain/abis.ts'
import { CHALLENGE_FINALITY_EPOCHS } from '../chain/deployment.ts'
import { findReceipt } from '../chain/rpc.ts'
import { isOwnDataSet, listOwnDataSets, listPieces } from './chain-reads.ts'
import type { ProviderContext } from './context.ts'
import { removeEnded } from './ended-data-sets.ts'
import { pieceCidsInFlight } from './ledger.ts'

const CHALLENGES_PER_PROOF = 5
/** Proofs are counted on the devnet, not verified. */
const PROOFS = Array.from({ length: CHALLENGES_PER_PROOF }, () => ({ leaf: zeroHash, proof: [] }))
/** Blocks that may come between deciding on a transaction and its own block. */
const LANDING_EPOCHS = 2n
/** A data set in which nothing is due is looked at again after so many epochs. */
const IDLE_EPOCHS = 16n

export interface ProvingState {
  readonly dataSetId: number
  readonly payer: Address
  readonly leaves: bigint
  readonly deadline: bigint
  readonly challengeEpoch: bigint
  readonly isProven: boolean
  readonly endEpoch: bigint
  readonly railId: bigint
}

export interface Prover {
  /** Does for every data set what its state and the epoch ask for. */
  advance(epoch: bigint): Promise<void>
  /** Looks at every data set next time: something happened that may make work. */
  lookAgain(): void
}

export function createProver(context: ProviderContext): Prover {
  /** The epoch at which each data set is looked at again. */
  const dueAt = new Map<number, bigint>()
  /** The last epoch in which something was sent for a data set; it is mined by the next. */
  const sentAt = new Map<number, bigint>()
  const leavesSeen = new Map<number, bigint>()
  let nextId = 1
  let isListDue = true
  // Removals may have taken effect while the provider was stopped.
  let isReleaseDue = true

  function lookAgain(): void {
    isListDue = true
    for (const dataSetId of dueAt.keys()) dueAt.set(dataSetId, (sentAt.get(dataSetId) ?? 0n) + 1n)
  }

  function forget(dataSetId: number): void {
    for (const memory of [dueAt, sentAt, leavesSeen]) memory.delete(dataSetId)
  }

  /** Only this provider creates data sets for itself, so its own transactions and reorganisations bring new ones. */
  async function listNew(): Promise<void> {
    isListDue = false
    try {
      const listed = await listOwnDataSets(context.chain, context.signer.address, nextId)
      nextId = listed.nextId
      for (const id of listed.dataSetIds) dueAt.set(id, 0n)
    } catch (error) {
      isListDue = true
      throw error
    }
  }

  async function look(dataSetId: number, epoch: bigint): Promise<void> {
    // Should a step fail, it is tried again at the next epoch.
    dueAt.set(dataSetId, epoch + 1n)
    const state = await readState(context, dataSetId)
    if (state && context.abandonedPayers.has(state.payer.toLowerCase())) return forget(dataSetId)
    if (state === undefined || (await isRemoved(context, state, epoch))) {
      forget(dataSetId)
      isReleaseDue = true
      return
    }
    isReleaseDue ||= state.leaves < (leavesSeen.get(dataSetId) ?? 0n)
    leavesSeen.set(dataSetId, state.leaves)
    const next = await advanceDataSet(context, state, epoch)
    if (next === epoch + 1n) sentAt.set(dataSetId, epoch)
    dueAt.set(dataSetId, next)
  }

  return {
    lookAgain,
    async advance(epoch) {
      if (isListDue) await listNew()
      for (const [dataSetId, due] of dueAt) if (epoch >= due) await look(dataSetId, epoch)
      if (isReleaseDue) await releaseRemoved(context)
      isReleaseDue = false
    },
  }
}

/** Sends what is due and returns the epoch at which something may be due again. */
async function advanceDataSet(context: ProviderContext, state: ProvingState, epoch: bigint): Promise<bigint> {
  const { dataSetId } = state
  const isOver = state.endEpoch > 0n && epoch > state.endEpoch
  if (isOver) return epoch + 1n
  if (context.faults.has('stop_proving') || state.leaves === 0n) return epoch + IDLE_EPOCHS
  if (state.deadline === 0n || epoch > state.deadline) {
    await startPeriod(context, state)
    return epoch + 1n
  }
  if (state.isProven) return state.deadline + 1n
  if (epoch < state.challengeEpoch) return state.challengeEpoch
  if (await holdsEverything(context, dataSetId)) {
    await send(context, encodeFunctionData({ abi: verifierAbi, functionName: 'provePossession', args: [BigInt(dataSetId), PROOFS] }))
  }
  return epoch + 1n
}

async function isRemoved(context: ProviderContext, state: ProvingState, epoch: bigint): Promise<boolean> {
  return state.endEpoch > 0n && epoch > state.endEpoch && (await removeEnded(context, state))
}

/** Undefined when the data set is gone. */
async function readState({ chain, signer }: ProviderContext, dataSetId: number): Promise<ProvingState | undefined> {
  if (!(await isOwnDataSet(chain, signer.address, dataSetId))) return undefined
  const args = [BigInt(dataSetId)] as const
  const verifier = { address: chain.contracts.pdpVerifier, abi: verifierAbi, args } as const
  const service = { address: chain.contracts.warmStorage, abi: warmStorageAbi, args } as const
  const { reader } = chain
  const [leaves, challengeEpoch, deadline, isProven, info] = await Promise.all([
    reader.readContract({ ...verifier, functionName: 'getDataSetLeafCount' }),
    reader.readContract({ ...verifier, functionName: 'getNextChallengeEpoch' }),
    reader.readContract({ ...service, functionName: 'provingDeadline' }),
    reader.readContract({ ...service, functionName: 'provenThisPeriod' }),
    reader.readContract({ ...service, functionName: 'getDataSet' }),
  ])
  return { dataSetId, payer: info.payer, leaves, challengeEpoch, deadline, isProven, endEpoch: info.pdpEndEpoch, railId: info.pdpRailId }
}

/** Ends the period, with which queued removals take effect, and asks for the first challenge possible in the next. */
async function startPeriod(context: ProviderContext, { dataSetId, deadline }: ProvingState): Promise<void> {
  const { reader, contracts } = context.chain
  const service = { address: contracts.warmStorage, abi: warmStorageAbi } as const
  const args = [BigInt(dataSetId)] as const
  const activation = await reader.readContract({ ...service, functionName: 'provingActivationEpoch', args })
  const isFirst = deadline === 0n && activation === 0n
  const [, windowSize, , firstWindowStart] = await reader.readContract({ ...service, functionName: 'getPDPConfig' })
  const windowStart = isFirst
    ? firstWindowStart
    : await reader.readContract({ ...service, functionName: 'nextPDPChallengeWindowStart', args })
  const challengeEpoch = chooseChallenge({ windowStart, windowSize, epoch: await reader.getBlockNumber() })
  await send(
    context,
    encodeFunctionData({ abi: verifierAbi, functionName: 'nextProvingPeriod', args: [BigInt(dataSetId), challengeEpoch, '0x'] }),
  )
}

/** As early in the window as possible, with room for the transaction to land some blocks from now. */
function chooseChallenge({ windowStart, windowSize, epoch }: { windowStart: bigint; windowSize: bigint; epoch: bigint }): bigint {
  const start = windowStart + LANDING_EPOCHS
  const soonest = epoch + LANDING_EPOCHS + CHALLENGE_FINALITY_EPOCHS
  const end = windowStart + windowSize
  const chosen = start > soonest ? start : soonest
  return chosen < end ? chosen : end
}

/** Deletes the bytes of pieces that no data set of this provider holds any more. */
async function releaseRemoved({ chain, pieces, signer, ledger }: ProviderContext): Promise<void> {
  const gone = new Set(pieces.listHeld())
  if (gone.size === 0) return
  for (const pieceCid of pieceCidsInFlight(ledger.state)) gone.delete(pieceCid)
  const { dataSetIds } = await listOwnDataSets(chain, signer.address, 1)
  for (const id of dataSetIds) for (const { pieceCid } of await listPieces(chain, id)) gone.delete(pieceCid)
  // A piece whose addition was rewound just now was not removed.
  for (const { hash, pieceCids } of Object.values(ledger.state.transactions)) {
    const named = pieceCids.filter((pieceCid) => gone.has(pieceCid))
    if (named.length > 0 && !(await findReceipt(chain.reader, hash))) for (const pieceCid of named) gone.delete(pieceCid)
  }
  for (const pieceCid of gone) pieces.removeHeld(pieceCid)
}

/** A provider that lost bytes cannot prove. */
async function holdsEverything({ chain, pieces }: ProviderContext, dataSetId: number): Promise<boolean> {
  const listed = await listPieces(chain, dataSetId)
  return listed.every(({ pieceCid }) => pieces.find(pieceCid) !== undefined)
}

async function send({ chain, signer, counters }: ProviderContext, data: Hex): Promise<void> {
  counters.provingTransactions++
  await signer.send({ to: chain.contracts.pdpVerifier, data, isPatient: true })
}
