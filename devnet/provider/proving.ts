// Keeps a provider's data sets proven: starts periods, proves in the window, lets removals take effect, cleans up at the end.
import { encodeFunctionData, type Hex, zeroHash } from 'viem'
import { payAbi, verifierAbi, warmStorageAbi } from '../chain/abis.ts'
import { listOwnDataSets, listPieces } from './chain-reads.ts'
import type { ProviderContext } from './context.ts'

const CHALLENGES_PER_PROOF = 5
const CLEANUP_PIECES_MAX = 500n
/** Proofs are counted on the devnet, not verified. */
const PROOFS = Array.from({ length: CHALLENGES_PER_PROOF }, () => ({ leaf: zeroHash, proof: [] }))

interface ProvingState {
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
}

export function createProver(context: ProviderContext): Prover {
  const known = new Set<number>()
  let nextId = 1

  return {
    async advance(epoch) {
      const listed = await listOwnDataSets(context.chain, context.signer.address, nextId)
      nextId = listed.nextId
      for (const id of listed.dataSetIds) known.add(id)
      for (const dataSetId of known) {
        const isGone = await advanceDataSet(context, dataSetId, epoch)
        if (isGone) known.delete(dataSetId)
      }
    },
  }
}

/** True when the data set needs no care any more. */
async function advanceDataSet(context: ProviderContext, dataSetId: number, epoch: bigint): Promise<boolean> {
  const { chain, faults } = context
  const call = { address: chain.contracts.pdpVerifier, abi: verifierAbi, args: [BigInt(dataSetId)] } as const
  if (!(await chain.reader.readContract({ ...call, functionName: 'dataSetLive' }))) return true
  const state = await readState(context, dataSetId)
  if (state.endEpoch > 0n && epoch > state.endEpoch) return cleanUp(context, dataSetId, state)
  if (faults.has('stop_proving') || state.leaves === 0n) return false
  if (state.deadline === 0n || epoch > state.deadline) {
    await startPeriod(context, dataSetId, state)
  } else if (!state.isProven && epoch >= state.challengeEpoch && (await holdsEverything(context, dataSetId))) {
    await send(context, encodeFunctionData({ abi: verifierAbi, functionName: 'provePossession', args: [BigInt(dataSetId), PROOFS] }))
  }
  return false
}

async function readState({ chain }: ProviderContext, dataSetId: number): Promise<ProvingState> {
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
  return { leaves, challengeEpoch, deadline, isProven, endEpoch: info.pdpEndEpoch, railId: info.pdpRailId }
}

/** The challenge goes into the middle of the window, so that the transaction may land a little later. */
async function startPeriod(context: ProviderContext, dataSetId: number, { deadline }: ProvingState): Promise<void> {
  const { reader, contracts } = context.chain
  const service = { address: contracts.warmStorage, abi: warmStorageAbi } as const
  const [, windowSize, , firstWindowStart] = await reader.readContract({ ...service, functionName: 'getPDPConfig' })
  const args = [BigInt(dataSetId)] as const
  const activation = await reader.readContract({ ...service, functionName: 'provingActivationEpoch', args })
  const isFirst = deadline === 0n && activation === 0n
  const windowStart = isFirst
    ? firstWindowStart
    : await reader.readContract({ ...service, functionName: 'nextPDPChallengeWindowStart', args })
  const challengeEpoch = windowStart + windowSize / 2n + (isFirst ? 1n : 0n)
  const before = await listPieces(context.chain, dataSetId)
  await send(
    context,
    encodeFunctionData({ abi: verifierAbi, functionName: 'nextProvingPeriod', args: [BigInt(dataSetId), challengeEpoch, '0x'] }),
  )
  await releaseRemoved(context, dataSetId, before)
}

/** Deletes the bytes of pieces that no data set of this provider holds any more. */
async function releaseRemoved(context: ProviderContext, dataSetId: number, before: readonly { pieceCid: string }[]): Promise<void> {
  const { chain, pieces, signer } = context
  const after = new Set((await listPieces(chain, dataSetId)).map((piece) => piece.pieceCid))
  const gone = new Set(before.map((piece) => piece.pieceCid).filter((pieceCid) => !after.has(pieceCid)))
  if (gone.size === 0) return
  const { dataSetIds } = await listOwnDataSets(chain, signer.address, 1)
  for (const id of dataSetIds) for (const { pieceCid } of await listPieces(chain, id)) gone.delete(pieceCid)
  for (const pieceCid of gone) pieces.remove(pieceCid)
}

/** A provider that lost bytes cannot prove. */
async function holdsEverything({ chain, pieces }: ProviderContext, dataSetId: number): Promise<boolean> {
  const listed = await listPieces(chain, dataSetId)
  return listed.every(({ pieceCid }) => pieces.find(pieceCid) !== undefined)
}

/** Settles, deletes and cleans up a data set some time after its end. */
async function cleanUp(context: ProviderContext, dataSetId: number, { endEpoch, railId }: ProvingState): Promise<boolean> {
  const { chain, settings, signer } = context
  const [period] = await chain.reader.readContract({
    address: chain.contracts.warmStorage,
    abi: warmStorageAbi,
    functionName: 'getPDPConfig',
  })
  if (chain.head.epoch < endEpoch + period * BigInt(settings.keepEndedPeriods)) return false
  const held = await listPieces(chain, dataSetId)
  await signer
    .execute({
      to: chain.contracts.filecoinPay,
      data: encodeFunctionData({ abi: payAbi, functionName: 'settleRail', args: [railId, endEpoch] }),
    })
    // A rail settled by somebody else before is gone.
    .catch((error) => context.log(`rail ${railId} not settled: ${String(error).split('\n', 1)[0]}`))
  await send(context, encodeFunctionData({ abi: verifierAbi, functionName: 'deleteDataSet', args: [BigInt(dataSetId), '0x'] }))
  for (let cleaned = 0; cleaned < held.length; cleaned += Number(CLEANUP_PIECES_MAX)) {
    await send(
      context,
      encodeFunctionData({ abi: verifierAbi, functionName: 'cleanupPieces', args: [BigInt(dataSetId), CLEANUP_PIECES_MAX] }),
    )
  }
  for (const { pieceCid } of held) await removeUnlessHeld(context, pieceCid)
  return true
}

async function removeUnlessHeld({ chain, pieces, signer }: ProviderContext, pieceCid: string): Promise<void> {
  const { dataSetIds } = await listOwnDataSets(chain, signer.address, 1)
  for (const id of dataSetIds) if ((await listPieces(chain, id)).some((piece) => piece.pieceCid === pieceCid)) return
  pieces.remove(pieceCid)
}

async function send({ chain, signer, counters }: ProviderContext, data: Hex): Promise<void> {
  counters.provingTransactions++
  await signer.execute({ to: chain.contracts.pdpVerifier, data })
}
