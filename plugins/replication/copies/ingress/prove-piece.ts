import { defineProbe, type Outcome } from '#kernel'
import { type Pipeline, waitFor } from '../../pipeline.ts'
import { keepChunkRoots } from '../records/chunk-roots-store.ts'
import type { PipelineContent } from '../records/copy-store.ts'
import { calculatePiece, settleSourceFault } from './cached-file.ts'
import { hasUnprovenPiece } from './piece-proof-store.ts'
import { markProven, separateCopies } from './settle-proof.ts'

export type ProvePieceDeps = Pick<Pipeline, 'cached' | 'clock' | 'contents' | 'database' | 'log' | 'pieces' | 'states' | 'uploadEvents'>

const separated = defineProbe('storage.prove.separated')

/**
 * While the content is cached, recomputes a piece CID that was recorded without comparing the SHA-256 (I-30). Copies of another piece
 * are removed and the content is stored again. Undefined when the store can continue.
 */
export async function provePiece(deps: ProvePieceDeps, content: PipelineContent, signal: AbortSignal): Promise<Outcome | undefined> {
  const { database, clock, log, uploadEvents } = deps
  const { contentId } = content
  if (!(await hasUnprovenPiece(database.read, contentId))) return undefined
  const file = await deps.cached.locate(contentId)
  if (!file) return undefined
  try {
    const { pieceCid, chunkRoots } = await calculatePiece(deps, file, signal)
    if (pieceCid === content.pieceCid) {
      await database.write(async (tx) => {
        await markProven(deps, tx, contentId)
        await keepChunkRoots(tx, content, chunkRoots)
        await deps.cached.reconcileCapacity(tx)
      })
      return undefined
    }
  } catch (error) {
    return settleSourceFault(deps, { contentId, file }, error)
  }
  await database.write(async (tx) => {
    await separateCopies(deps, tx, content, clock.now())
    uploadEvents.changed(tx, [contentId])
  })
  await separated()
  log.error('copies of damaged bytes are removed and stored again', { content: contentId, piece: content.pieceCid })
  return waitFor(clock, 'retry', 0, 'the copies had damaged bytes; the content is stored again')
}
