import type { PieceSource } from '../chain/provider-client.ts'
import type { Pipeline } from '../pipeline.ts'
import { type CommitBatch, closeBatch } from './batch-store.ts'
import { markParked, recountContent, returnToPlanned, sourceUrls } from './copy-store.ts'
import type { Pulling } from './pull-pieces.ts'

/**
 * Where the pieces can be fetched now; those that no provider can serve any more are left out. The provider knows the request by its
 * signature, so another source is no new request.
 */
export function sourcesOf({ database, providers }: Pipeline, batch: CommitBatch): readonly PieceSource[] {
  const urls = sourceUrls(database.read, batch.id)
  return batch.items.flatMap(({ pieceCid, copyId }) => {
    const serviceUrl = urls.get(copyId)
    return serviceUrl === undefined ? [] : [{ pieceCid, sourceUrl: providers.client(serviceUrl).pieceUrl(pieceCid) }]
  })
}

/**
 * Gives up a pull of which a piece lost its last source. A piece that had arrived before stays; one that had not is planned anew, and
 * the store task looks whether the cache can bring it. Those with a source are pulled again.
 */
export async function dropUnsourced(doors: Pipeline, { dataSet, batch }: Pulling, signal: AbortSignal): Promise<void> {
  const { database, clock, schedule, providers } = doors
  const sourced = new Set(sourceUrls(database.read, batch.id).keys())
  const arrived = new Set<number>()
  for (const { copyId, pieceCid } of batch.items) {
    if (sourced.has(copyId)) continue
    const answer = await providers.client(dataSet.serviceUrl).findPiece(pieceCid, { signal })
    if (answer.kind === 'ok' && answer.value.isFound) arrived.add(copyId)
  }
  const nowMs = clock.now()
  const why = { code: 'source_gone', message: 'no provider can serve the piece any more', nowMs }
  await database.write((tx) => {
    closeBatch(tx, batch.id, { message: why.message, nowMs })
    for (const { copyId, contentId } of batch.items) {
      const copy = { copyId, batchId: batch.id }
      if (arrived.has(copyId)) markParked(tx, copy, nowMs)
      else returnToPlanned(tx, copy, sourced.has(copyId) ? why : { ...why, retryAtMs: nowMs })
      recountContent(tx, contentId, nowMs)
      schedule.store(tx, contentId)
    }
    if (arrived.size > 0) schedule.commit(tx, dataSet.id)
  })
}
