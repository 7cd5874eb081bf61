import type { Tx } from '#kernel'
import { newNonce } from '../../chain/typed-data.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { readDepths } from '../../finality/landing-checks.ts'
import { adoptedData, markBatchFinal } from '../../finality/landing-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { countRecordedPieces, recordedPieceIds, undecidedPieces, unrecordedRanges } from '../records/adoption-store.ts'

export type AdoptDeps = Pick<Pipeline, 'chain' | 'clock' | 'database' | 'log' | 'reads' | 'states'>

/** Pieces of one call, and calls that are made together. */
const [listedPieces, pagesAtOnce] = [100, 20]

interface Wanted {
  readonly copyId: number
  readonly pieceCid: string
}

interface Adoption<P> {
  /** Copies whose pieces must be added. */
  readonly missing: readonly P[]
  /** Pieces that are on chain and not final: they are looked at again, and are not added before. */
  readonly unsettled: number
}

/**
 * Commits the copies whose pieces the data set on chain has although no row names them. The attempt that added and paid for them is not in
 * this database: it was restored from a backup, and looking up its nonces shows nothing. Such pieces are never added again (I-05).
 */
export async function adoptPieces<P extends Wanted>(
  deps: AdoptDeps,
  dataSet: DataSet,
  method: 'store' | 'pull',
  wanted: readonly P[],
): Promise<Adoption<P>> {
  const { database, reads, log } = deps
  const { id: dataSetId, chainId } = dataSet
  const added = chainId === null ? 0n : await reads.addedPieces(chainId)
  // The only read, as long as the records explain all pieces of the data set.
  if (chainId === null || added <= BigInt(await countRecordedPieces(database.read, dataSetId))) return { missing: wanted, unsettled: 0 }
  const found = await findUnrecorded(deps, { dataSetId, chainId, added }, wanted)
  if (found.size === 0) return { missing: wanted, unsettled: 0 }
  const { finalized } = await readDepths(deps)
  const states = await Promise.all(
    [...found].map(async ([copy, pieceId]) => ({ copy, pieceId, state: await reads.pieceState(chainId, pieceId, finalized) })),
  )
  const final = states.filter(({ state }) => state === 'live')
  for (const { copy, pieceId } of final)
    await database.write((tx) => adopt(deps, tx, { dataSetId, chainId, method, copy, pieceId, epoch: finalized }))
  if (final.length > 0)
    log.warn('pieces that the chain had without a record are committed and not paid again', { dataSet: dataSetId, pieces: final.length })
  return { missing: wanted.filter((copy) => !found.has(copy)), unsettled: found.size - final.length }
}

interface Place {
  readonly dataSetId: number
  readonly chainId: bigint
}

interface SearchedPlace extends Place {
  /** Pieces that were ever added on chain. */
  readonly added: bigint
}

/** The id of each wanted piece that is on chain, is not being removed, and has neither a row nor an undecided addition. */
async function findUnrecorded<P extends Wanted>(deps: AdoptDeps, place: SearchedPlace, wanted: readonly P[]) {
  const { database, reads } = deps
  const { dataSetId, chainId } = place
  const undecided = await undecidedPieces(
    database.read,
    dataSetId,
    wanted.map(({ pieceCid }) => pieceCid),
  )
  const decided = wanted.filter(({ pieceCid }) => !undecided.has(pieceCid))
  if (decided.length === 0) return new Map<P, bigint>()
  const [queued, ids] = await Promise.all([
    reads.scheduledRemovals(chainId),
    findUnexplained(deps, place, new Set(decided.map(({ pieceCid }) => pieceCid))),
  ])
  const recorded = await recordedPieceIds(database.read, dataSetId, [...ids.values()].flat().map(String))
  const found = new Map<P, bigint>()
  for (const copy of decided) {
    const id = ids.get(copy.pieceCid)?.find((pieceId) => !recorded.has(pieceId.toString()) && !queued.includes(pieceId))
    if (id !== undefined) found.set(copy, id)
  }
  return found
}

/**
 * Ids of the pieces with these CIDs among those that no recorded addition explains, by CID. A look-up by CID would have the node walk through
 * all pieces of the data set for each of them, which it refuses when they are many.
 */
async function findUnexplained(
  { database, reads }: AdoptDeps,
  { dataSetId, chainId, added }: SearchedPlace,
  pieceCids: ReadonlySet<string>,
) {
  const ranges = await unrecordedRanges(database.read, dataSetId, added)
  const pages = ranges.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from) / listedPieces) }, (_, page) => from + page * listedPieces).map((start) => ({
      dataSetId: chainId,
      from: BigInt(start),
      limit: Math.min(listedPieces, to - start),
    })),
  )
  const ids = new Map<string, bigint[]>()
  for (let at = 0; at < pages.length; at += pagesAtOnce) {
    const listed = await Promise.all(pages.slice(at, at + pagesAtOnce).map((page) => reads.livePieces(page)))
    for (const { pieceId, pieceCid } of listed.flat())
      if (pieceCids.has(pieceCid)) ids.set(pieceCid, [...(ids.get(pieceCid) ?? []), pieceId])
  }
  return ids
}

interface Adopted extends Place {
  readonly method: 'store' | 'pull'
  readonly copy: Wanted
  readonly pieceId: bigint
  readonly epoch: bigint
}

/**
 * Records a batch of one piece that has landed and is final. Nothing is sent. It counts as no paid call: the call that paid for it was made at
 * another time, perhaps with other pieces.
 */
async function adopt({ clock, states }: AdoptDeps, tx: Tx, { dataSetId, chainId, method, copy, pieceId, epoch }: Adopted): Promise<void> {
  // Another task may have recorded the piece, or an addition of it, since the look.
  if ((await undecidedPieces(tx, dataSetId, [copy.pieceCid])).size > 0) return
  if ((await recordedPieceIds(tx, dataSetId, [pieceId.toString()])).size > 0) return
  const nonce = newNonce()
  const id = await states.batches.record(tx, { dataSetId, method, nonce, extraData: adoptedData, items: [copy] })
  // The copy is no longer free: another round decides about it.
  if (id === undefined) return
  if (method === 'pull') await states.batches.apply(tx, 'pulled', id)
  await states.batches.apply(tx, 'found_on_chain', id)
  const nextPieceId = pieceId + 1n
  const next = { checks: 1, atMs: clock.now() }
  await states.batches.land(tx, { id, dataSetId }, { pieceIds: [pieceId], nextPieceId, epoch, next })
  await markBatchFinal(tx, { id, nonce: undefined, checks: 1, landing: { dataSetId: chainId, nextPieceId, epoch } }, clock.now())
}
