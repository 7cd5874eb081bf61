// Proves a provider's data sets: starts periods, with which removals take effect, and proves in the challenge window.
import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { verifierAbi, warmStorageAbi } from '../chain/abis.ts'
import { findReceipt } from '../chain/rpc.ts'
import { isOwnDataSet, listOwnDataSets, listPieces } from './chain-reads.ts'
import { chooseChallenge } from './choose-challenge.ts'
import type { ProviderContext } from './context.ts'
import { removeEnded } from './ended-data-sets.ts'
import { pieceCidsInFlight } from './ledger.ts'

const CHALLENGES_PER_PROOF = 5
/** Proofs are counted on the devnet, not verified. */
const PROOFS = Array.from({ length: CHALLENGES_PER_PROOF }, () => ({ leaf: zeroHash, proof: [] }))
/** Curio's limit. */
const REMOVALS_PER_CALL = 100
/** Interval of checks of a data set in which nothing is due. */
const IDLE_EPOCHS = 16n

interface ProvingState {
  readonly dataSetId: number
  readonly payer: Address
  readonly leaves: bigint
  /** Leaves that the current period proves; 0 before the first. */
  readonly provenLeaves: bigint
  readonly queuedRemovals: number
  readonly deadline: bigint
  readonly challengeEpoch: bigint
  readonly isProven: boolean
  readonly endEpoch: bigint
  readonly railId: bigint
}

interface Prover {
  /** Sends what is due in each data set at this epoch. */
  advance(epoch: bigint): Promise<void>
  /** Makes the next `advance` check every data set, after an event that may have made something due. */
  recheck(): void
}

export function createProver(context: ProviderContext): Prover {
  /** The epoch of the next check of each data set. */
  const dueAt = new Map<number, bigint>()
  /** The last epoch in which a transaction was sent for a data set; the next block contains it. */
  const sentAt = new Map<number, bigint>()
  const leavesSeen = new Map<number, bigint>()
  /** Failed steps of a data set since the last one that succeeded. */
  const failures = new Map<number, number>()
  let nextId = 1
  let isListDue = true
  // Removals may take effect while the provider is stopped.
  let isReleaseDue = true

  function recheck(): void {
    isListDue = true
    for (const dataSetId of dueAt.keys()) dueAt.set(dataSetId, (sentAt.get(dataSetId) ?? 0n) + 1n)
  }

  function forget(dataSetId: number): void {
    for (const memory of [dueAt, sentAt, leavesSeen, failures]) memory.delete(dataSetId)
  }

  /** Only a provider's own transactions and reorganisations change its list of data sets. */
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

  async function check(dataSetId: number, epoch: bigint): Promise<void> {
    // A failed step is tried again at the next epoch.
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
    const failed = failures.get(dataSetId) ?? 0
    // Removed again when the step succeeds.
    failures.set(dataSetId, failed + 1)
    const next = await advanceDataSet(context, state, { epoch, failures: failed })
    failures.delete(dataSetId)
    if (next === epoch + 1n) sentAt.set(dataSetId, epoch)
    dueAt.set(dataSetId, next)
  }

  return {
    recheck,
    async advance(epoch) {
      if (isListDue) await listNew()
      // Runs in parallel, so that their reads share requests.
      const due = [...dueAt].filter(([, dueEpoch]) => epoch >= dueEpoch)
      const checks = await Promise.allSettled(due.map(([dataSetId]) => check(dataSetId, epoch)))
      for (const checked of checks) if (checked.status === 'rejected') throw checked.reason
      if (isReleaseDue) await releaseRemoved(context)
      isReleaseDue = false
    },
  }
}

interface Step {
  readonly epoch: bigint
  readonly failures: number
}

/** Sends what is due and returns the epoch of the next check. */
async function advanceDataSet(context: ProviderContext, state: ProvingState, { epoch, failures }: Step): Promise<bigint> {
  const { dataSetId } = state
  const isOver = state.endEpoch > 0n && epoch > state.endEpoch
  if (isOver) return epoch + 1n
  // An emptied data set is idle when its last period has ended.
  const isEmpty = state.leaves === 0n && state.provenLeaves === 0n
  if (context.faults.has('stop_proving') || isEmpty) return epoch + IDLE_EPOCHS
  if (state.deadline === 0n || epoch > state.deadline) {
    const removesFirst = context.chain.network !== '1.3' && state.queuedRemovals > 0
    await (removesFirst ? removeQueued(context, state) : startPeriod(context, state, failures))
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

/** Returns undefined when the data set is not live. */
async function readState({ chain, signer }: ProviderContext, dataSetId: number): Promise<ProvingState | undefined> {
  if (!(await isOwnDataSet(chain, signer.address, dataSetId))) return undefined
  const args = [BigInt(dataSetId)] as const
  const verifier = { address: chain.contracts.pdpVerifier, abi: verifierAbi, args } as const
  const service = { address: chain.contracts.warmStorage, abi: warmStorageAbi, args } as const
  const { reader } = chain
  const [leaves, provenLeaves, removals, challengeEpoch, deadline, isProven, info] = await Promise.all([
    reader.readContract({ ...verifier, functionName: 'getDataSetLeafCount' }),
    reader.readContract({ ...verifier, functionName: 'getChallengeRange' }),
    reader.readContract({ ...verifier, functionName: 'getScheduledRemovals' }),
    reader.readContract({ ...verifier, functionName: 'getNextChallengeEpoch' }),
    reader.readContract({ ...service, functionName: 'provingDeadline' }),
    reader.readContract({ ...service, functionName: 'provenThisPeriod' }),
    reader.readContract({ ...service, functionName: 'getDataSet' }),
  ])
  const { payer, pdpEndEpoch: endEpoch, pdpRailId: railId } = info
  return { dataSetId, payer, leaves, provenLeaves, queuedRemovals: removals.length, challengeEpoch, deadline, isProven, endEpoch, railId }
}

/** Queued removals take effect before the next period from version 1.4 on. */
async function removeQueued(context: ProviderContext, { dataSetId, queuedRemovals }: ProvingState): Promise<void> {
  const args = [BigInt(dataSetId), BigInt(Math.min(queuedRemovals, REMOVALS_PER_CALL))] as const
  await send(context, encodeFunctionData({ abi: verifierAbi, functionName: 'processPieceDeletions', args }))
}

/** Ends the period, with which queued removals take effect in version 1.3, and chooses the earliest challenge of the next one. */
async function startPeriod(context: ProviderContext, { dataSetId, deadline }: ProvingState, failures: number): Promise<void> {
  const { reader, contracts } = context.chain
  const service = { address: contracts.warmStorage, abi: warmStorageAbi } as const
  const args = [BigInt(dataSetId)] as const
  const activation = await reader.readContract({ ...service, functionName: 'provingActivationEpoch', args })
  const isFirst = deadline === 0n && activation === 0n
  const [, windowSize, , firstWindowStart] = await reader.readContract({ ...service, functionName: 'getPDPConfig' })
  const windowStart = isFirst
    ? firstWindowStart
    : await reader.readContract({ ...service, functionName: 'nextPDPChallengeWindowStart', args })
  const challengeEpoch = chooseChallenge({ windowStart, windowSize, epoch: await reader.getBlockNumber(), failures })
  await send(
    context,
    encodeFunctionData({ abi: verifierAbi, functionName: 'nextProvingPeriod', args: [BigInt(dataSetId), challengeEpoch, '0x'] }),
  )
}

/** Deletes the bytes of pieces that are in none of this provider's data sets. */
async function releaseRemoved({ chain, pieces, signer, ledger }: ProviderContext): Promise<void> {
  const orphans = new Set(pieces.listHeld())
  if (orphans.size === 0) return
  for (const pieceCid of pieceCidsInFlight(ledger.state)) orphans.delete(pieceCid)
  const { dataSetIds } = await listOwnDataSets(chain, signer.address, 1)
  for (const id of dataSetIds) for (const { pieceCid } of await listPieces(chain, id)) orphans.delete(pieceCid)
  // A piece whose addition was undone by a reorganisation was not removed.
  for (const { hash, pieceCids } of Object.values(ledger.state.transactions)) {
    const named = pieceCids.filter((pieceCid) => orphans.has(pieceCid))
    if (named.length > 0 && !(await findReceipt(chain.reader, hash))) for (const pieceCid of named) orphans.delete(pieceCid)
  }
  for (const pieceCid of orphans) pieces.removeHeld(pieceCid)
}

/** A provider that has lost bytes cannot prove. */
async function holdsEverything({ chain, pieces }: ProviderContext, dataSetId: number): Promise<boolean> {
  const listed = await listPieces(chain, dataSetId)
  return listed.every(({ pieceCid }) => pieces.find(pieceCid) !== undefined)
}

async function send({ chain, signer, counters }: ProviderContext, data: Hex): Promise<void> {
  counters.provingTransactions++
  await signer.send({ to: chain.contracts.pdpVerifier, data, isPatient: true })
}
