import { defineProbe, type Outcome } from '#kernel'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { calculatePiece, settleSourceFault } from './cached-file.ts'
import { keepChunkRoots } from './chunk-roots-store.ts'
import type { PipelineContent } from './copy-store.ts'
import { hasUnprovenPiece, markProven, separateCopies } from './piece-proof-store.ts'

const separated = defineProbe('storage.prove.separated')

/**
 * Computes a piece CID again that was recorded without a look at the SHA-256 (I-30), while the content is cached. Copies of another piece
 * are removed, and the content is stored anew. Undefined when the store goes on.
 */
export async function provePiece(doors: Pipeline, content: PipelineContent, signal: AbortSignal): Promise<Outcome | undefined> {
  const { database, clock, log, schedule, uploadEvents } = doors
  const { contentId } = content
  if (!hasUnprovenPiece(database.read, contentId)) return undefined
  const file = await doors.locateCached(contentId)
  if (!file) return undefined
  try {
    const { pieceCid, chunkRoots } = await calculatePiece(doors, file, signal)
    if (pieceCid === content.pieceCid) {
      await database.write((tx) => {
        markProven(tx, contentId, clock.now())
        keepChunkRoots(tx, content, chunkRoots)
        schedule.reconcileCapacity(tx)
      })
      return undefined
    }
  } catch (error) {
    return settleSourceFault(doors, { contentId, file }, error)
  }
  await database.write((tx) => {
    for (const dataSetId of separateCopies(tx, content, clock.now())) schedule.cleanup(tx, dataSetId)
    uploadEvents.moved(tx, contentId)
  })
  await separated()
  log.error('copies of damaged bytes are removed and made anew', { content: contentId, piece: content.pieceCid })
  return waitFor(clock, 'retry', 0, 'the copies held damaged bytes and are made anew')
}
