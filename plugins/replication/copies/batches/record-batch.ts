/** @walk copies 8: signs the addition of parked pieces */
import { defineProbe } from '#kernel'
import { additionPiecesMax } from '#plugins/providers'
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { type Pipeline, type Wait, waitFor } from '../../pipeline.ts'
import { nextCallPieces } from '../../states/call-limit-store.ts'
import { countBatches, parkedCopies } from '../records/batch-store.ts'
import { type AdoptDeps, adoptPieces } from './adopt-pieces.ts'

type AdditionDeps = AdoptDeps & Pick<Pipeline, 'pace' | 'signer'>
export type RecordBatchDeps = AdditionDeps

const recorded = defineProbe('storage.commit.recorded')

/** Batches of a data set prepared before they can be sent, of parked copies and of pulled pieces each. More copies stay parked, or are pulled later. */
export const batchesReadyMax = 4

/** Parked copies become a batch once there are enough, or the batching window of the oldest has passed. Returns why none of them can. */
export async function recordNextBatch(deps: RecordBatchDeps, dataSet: DataSet): Promise<Wait | undefined> {
  const { database, clock, pace, states } = deps
  if ((await countBatches(database.read, dataSet.id, { method: 'store', states: ['ready'] })) >= batchesReadyMax) return undefined
  const addition = await prepareAddition(deps, dataSet, 'store', async (piecesMax) => {
    const parked = distinctPieces(await parkedCopies(database.read, dataSet.id, piecesMax))
    const isWindowOver = parked[0] !== undefined && clock.now() >= parked[0].parkedAtMs + pace.batchingWindowMs
    return parked.length >= piecesMax || isWindowOver ? parked : []
  })
  if (addition === undefined || 'reason' in addition) return addition
  // Records nothing when another batch has taken a copy: the next round retries.
  await database.write((tx) => states.batches.record(tx, { dataSetId: dataSet.id, method: 'store', ...addition }))
  await recorded()
  return undefined
}

interface Addition<P> {
  readonly nonce: bigint
  readonly extraData: `0x${string}`
  readonly items: readonly P[]
}

/**
 * The next addition to a data set with a new nonce and its signed bytes: not recorded yet. `choose` names the pieces, at most as many as
 * the provider is known to take; the addition has the first of them that the chain takes too, without those that it has already. Undefined without pieces, and a wait when all are on chain
 * and not final.
 */
export async function prepareAddition<P extends { readonly copyId: number; readonly pieceCid: string }>(
  deps: AdditionDeps,
  dataSet: DataSet,
  method: 'store' | 'pull',
  choose: (piecesMax: number) => Promise<readonly P[]>,
): Promise<Addition<P> | Wait | undefined> {
  const { database, clock, chain, reads, signer, pace } = deps
  const { chainId, clientDataSetId, providerId } = dataSet
  const known = { max: additionPiecesMax, nowMs: clock.now() }
  const chosen = await choose(await nextCallPieces(database.read, { providerId, call: 'addition' }, known))
  if (chosen.length === 0) return undefined
  const { missing, unsettled } = await adoptPieces(deps, dataSet, method, chosen)
  if (missing.length === 0)
    return unsettled === 0 ? undefined : waitFor(clock, 'finality', pace.epochMs, 'the chain has the pieces already, not yet final')
  const { piecesMax, omitsMetadata } = await reads.additionLimits(chainId)
  const items = missing.slice(0, piecesMax)
  const nonce = newNonce()
  const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  const extraData = await signAddPieces({ account: signer, domain, clientDataSetId, nonce, pieces: items, omitsMetadata })
  return { nonce, extraData, items }
}

/** Keeps the first of equal pieces: a provider takes each piece once per call. The others go into the next call. */
export function distinctPieces<P extends { readonly pieceCid: string }>(candidates: readonly P[]): readonly P[] {
  const seen = new Set<string>()
  return candidates.filter(({ pieceCid }) => !seen.has(pieceCid) && seen.add(pieceCid))
}
