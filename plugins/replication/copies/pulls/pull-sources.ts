import type { PieceSource } from '../../chain/provider-client.ts'
import { recountContents } from '../../holdings/recount-contents.ts'
import type { Pipeline } from '../../pipeline.ts'
import { closeBatch } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, type CommitBatch, contentIdsOf } from '../records/batch-store.ts'
import { markParked, returnToPlanned } from '../records/copy-store.ts'
import { sourceUrls } from './pull-store.ts'

type PullSourcesDeps = Pick<Pipeline, 'database' | 'schedule' | 'clock' | 'providers' | 'contents'>

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
  const { database, clock, schedule, providers } = deps
  const sourced = new Set((await sourceUrls(database.read, batch.id)).keys())
  const arrived = new Set<number>()
  for (const { copyId, pieceCid } of batch.items) {
    if (sourced.has(copyId)) continue
    const answer = await providers.client(dataSet.serviceUrl).findPiece(pieceCid, { signal })
    if (answer.kind === 'ok' && answer.value.isFound) arrived.add(copyId)
  }
  const nowMs = clock.now()
  const why = { code: 'source_gone', message: 'no provider can serve the piece', nowMs }
  await database.write(async (tx) => {
    await closeBatch(tx, batch.id, { message: why.message, nowMs })
    for (const { copyId, contentId } of batch.items) {
      const copy = { copyId, batchId: batch.id }
      if (arrived.has(copyId)) await markParked(tx, copy, nowMs)
      else await returnToPlanned(tx, copy, sourced.has(copyId) ? why : { ...why, retryAtMs: nowMs })
      await schedule.store(tx, contentId)
    }
    await recountContents(deps, tx, contentIdsOf(batch), nowMs)
    if (arrived.size > 0) await schedule.commit(tx, dataSet.id)
  })
}
