/** @walk read 14: verifies each chunk before it is sent */
import { createHash } from 'node:crypto'
import { pieceBytesMin } from '#plugins/providers'
import { areChunkRootsOf } from '../pieces/chunk-roots.ts'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher, type PieceHasher } from '../pieces/piece-hasher.ts'

/** Expected digests of a content. */
interface ContentDigests {
  /** Null when not recorded. */
  readonly sha256: string | null
  readonly pieceCid: string
}

/** Whether the bytes match: by the recorded SHA-256, which is faster, else by the piece CID. */
export function isContent(bytes: Uint8Array, { sha256, pieceCid }: ContentDigests): boolean {
  if (sha256 !== null) return createHash('sha256').update(bytes).digest('hex') === sha256
  const hasher = createPieceHasher({ padTo: pieceBytesMin })
  hasher.update(bytes)
  return pieceCidOf(hasher.digest()) === pieceCid
}

/** Verifies streamed bytes of a whole content, and returns the chunk roots that prove its parts. */
interface WholeProof {
  add(block: Uint8Array): void
  /** Returns undefined when the bytes do not match. */
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
