import { createHash } from 'node:crypto'
import type { CalculatedPiece } from './piece-calculation.ts'
import { pieceCidOf } from './piece-cid.ts'
import { createPieceHasher } from './piece-hasher.ts'

/** Up to this size the calculation takes less CPU time than the messages to a thread and back, about 0.1 ms. */
export const smallPieceBytesMax = 16 * 1024

/** The piece of these bytes, with zeros after them up to `padTo` bytes, on the calling thread. For at most `smallPieceBytesMax` bytes, and at least one. */
export function calculateSmallPiece(bytes: Uint8Array, padTo = 0): CalculatedPiece {
  const hasher = createPieceHasher({ padTo })
  hasher.update(bytes)
  return {
    pieceCid: pieceCidOf(hasher.digest()),
    sha256s: [createHash('sha256').update(bytes).digest('hex')],
    chunkRoots: hasher.chunkRoots(),
  }
}
