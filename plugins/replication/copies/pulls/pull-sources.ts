import type { PieceSource } from '#plugins/providers'
import type { Pipeline } from '../../pipeline.ts'
import { findStored } from '../batches/withdraw-batch.ts'
import type { BatchOfDataSet, CommitBatch } from '../records/batch-store.ts'
import { sourceUrls } from './pull-store.ts'

type PullSourcesDeps = Pick<Pipeline, 'clock' | 'database' | 'providers' | 'schedule' | 'states'>

/**
 * Current sources of the pieces; pieces that no provider can serve are left out. The provider identifies a pull by its signature, so
 * sources may change between requests.
 */
export async function sourcesOf(
  { database, providers }: Pick<Pipeline, 'database' | 'providers'>,
  batch: CommitBatch,
): Promise<readonly PieceSource[]> {
  const urls = await sourceUrls(database.read, batch.id)
  return batch.items.flatMap(({ pieceCid, copyId }) => {
    const serviceUrl = urls.get(copyId)
    return serviceUrl === undefined ? [] : [{ pieceCid, sourceUrl: providers.client(serviceUrl).pieceUrl(pieceCid) }]
  })
}

/**
 * Closes a pull in which a piece has lost its last source. Such a piece is parked if it has arrived, else planned again, and the store
 * task may upload it from the cache. Pieces with a source are pulled again.
 */
export async function dropUnsourced(deps: PullSourcesDeps, { dataSet, batch }: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, schedule, states } = deps
  const sourced = new Set((await sourceUrls(database.read, batch.id)).keys())
  const unsourced = batch.items.filter(({ copyId }) => !sourced.has(copyId))
  const { stored } = await findStored(deps, { dataSet, batch: { items: unsourced } }, signal)
  const arrived = new Set(unsourced.flatMap(({ copyId, pieceCid }) => (stored.has(pieceCid) ? copyId : [])))
  const why = { code: 'source_gone', message: 'no provider can serve the piece' }
  const itemsOf = (isIn: ReadonlySet<number>) => batch.items.flatMap(({ copyId }) => (isIn.has(copyId) ? copyId : []))
  await database.write(async (tx) => {
    await states.batches.apply(tx, 'closed', batch.id, why)
    await states.copies.apply(tx, 'stored', { ids: itemsOf(arrived), batchId: batch.id })
    await states.copies.apply(tx, 'pull_failed', { ids: itemsOf(sourced), batchId: batch.id }, why)
    await states.copies.apply(tx, 'pull_failed', { batchId: batch.id }, { ...why, retryAtMs: clock.now() })
    // Only what was pulled: the store tasks of the others run because their pull failed.
    for (const { copyId, contentId } of batch.items) if (arrived.has(copyId)) await schedule.store(tx, contentId)
  })
}
