import { createHash } from 'node:crypto'
import { areChunkRootsOf } from '../pieces/chunk-roots.ts'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher, type PieceHasher } from '../pieces/piece-hasher.ts'

/** What the bytes of a content must come to. */
export interface ContentDigests {
  /** Null where it was never recorded. */
  readonly sha256: string | null
  readonly pieceCid: string
}

/** Whether these are the bytes: by the recorded SHA-256, which is the faster; by the piece CID where there is none. */
export function isContent(bytes: Uint8Array, { sha256, pieceCid }: ContentDigests): boolean {
  if (sha256 !== null) return createHash('sha256').update(bytes).digest('hex') === sha256
  const hasher = createPieceHasher()
  hasher.update(bytes)
  return pieceCidOf(hasher.digest()) === pieceCid
}

/** Shows whether the bytes that pass are those of a content, and gives the chunk roots that prove parts of it from then on. */
export interface WholeProof {
  add(block: Uint8Array): void
  /** Undefined when the bytes are wrong. */
  chunkRoots(): Uint8Array | undefined
}

export function beginWholeProof({ sha256, pieceCid }: ContentDigests): WholeProof {
  const hash = createHash('sha256')
  const hasher: PieceHasher = createPieceHasher()
  return {
    add(block) {
      hash.update(block)
      hasher.update(block)
    },
    chunkRoots() {
      const chunkRoots = hasher.chunkRoots()
      const isRight = sha256 === null || hash.digest('hex') === sha256
      return isRight && areChunkRootsOf(pieceCid, chunkRoots) ? chunkRoots : undefined
    },
  }
}
