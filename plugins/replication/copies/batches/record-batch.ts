/** @walk copies 8: signs the addition of parked pieces */
import { defineProbe } from '#kernel'
import { additionPiecesMax } from '#plugins/providers'
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { nextCallPieces } from '../../states/call-limit-store.ts'
import { countBatches, parkedCopies } from '../records/batch-store.ts'

type AdditionDeps = Pick<Pipeline, 'database' | 'clock' | 'chain' | 'reads' | 'signer'>
export type RecordBatchDeps = AdditionDeps & Pick<Pipeline, 'pace' | 'states'>

const recorded = defineProbe('storage.commit.recorded')

/** Batches prepared before they can be sent; further parked copies stay parked. */
export const batchesReadyMax = 4

/** Parked copies become a batch once there are enough, or the batching window of the oldest has passed. */
export async function recordNextBatch(deps: RecordBatchDeps, dataSet: DataSet): Promise<void> {
  const { database, clock, pace, states } = deps
  if ((await countBatches(database.read, dataSet.id, ['ready'])) >= batchesReadyMax) return
  const addition = await prepareAddition(deps, dataSet, async (piecesMax) => {
    const parked = distinctPieces(await parkedCopies(database.read, dataSet.id, piecesMax))
    const isWindowOver = parked[0] !== undefined && clock.now() >= parked[0].parkedAtMs + pace.batchingWindowMs
    return parked.length >= piecesMax || isWindowOver ? parked : []
  })
  if (!addition) return
  // Records nothing when another batch has taken a copy: the next round retries.
  await database.write((tx) => states.batches.record(tx, { dataSetId: dataSet.id, method: 'store', ...addition }))
  await recorded()
}

interface Addition<P> {
  readonly nonce: bigint
  readonly extraData: `0x${string}`
  readonly items: readonly P[]
}

/**
 * The next addition to a data set with a new nonce and its signed bytes: not recorded yet. `choose` names the pieces, at most as many as
 * the provider is known to take; the addition has the first of them that the chain takes too. Undefined without pieces.
 */
export async function prepareAddition<P extends { readonly pieceCid: string }>(
  { database, clock, chain, reads, signer }: AdditionDeps,
  { chainId, clientDataSetId, providerId }: DataSet,
  choose: (piecesMax: number) => Promise<readonly P[]>,
): Promise<Addition<P> | undefined> {
  const known = { max: additionPiecesMax, nowMs: clock.now() }
  const chosen = await choose(await nextCallPieces(database.read, { providerId, call: 'addition' }, known))
  if (chosen.length === 0) return undefined
  const { piecesMax, omitsMetadata } = await reads.additionLimits(chainId)
  const items = chosen.slice(0, piecesMax)
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
