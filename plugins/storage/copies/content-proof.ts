import { createHash } from 'node:crypto'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher } from '../pieces/piece-hasher.ts'

/** Shows whether the bytes that passed are those of a content. */
export interface ContentProof {
  add(block: Uint8Array): void
  /** Call once, after the last block. */
  holds(): boolean
}

/** By the recorded SHA-256, which is the faster; by the piece CID where there is none. */
export function beginProof(sha256: string | null, pieceCid: string): ContentProof {
  if (sha256 !== null) {
    const hash = createHash('sha256')
    return { add: (block) => void hash.update(block), holds: () => hash.digest('hex') === sha256 }
  }
  const hasher = createPieceHasher()
  return { add: hasher.update, holds: () => pieceCidOf(hasher.digest()) === pieceCid }
}
