import { hash } from 'node:crypto'
import type { CalculatedPiece } from '../piece-calculation.ts'
import { pieceCidOf } from '../piece-cid.ts'
import { createPieceHasher } from '../piece-hasher.ts'

/** The piece of these bytes as one file, computed without threads. */
export function pieceOf(bytes: Uint8Array): CalculatedPiece {
  const hasher = createPieceHasher()
  hasher.update(bytes)
  return { pieceCid: pieceCidOf(hasher.digest()), sha256s: [hash('sha256', bytes)], chunkRoots: hasher.chunkRoots() }
}
