// Proves parts of a piece: the roots of its chunks are a layer of its tree, so they fold into the root in the piece CID.
import { nodeBytes, nodeHasherChoice } from './node-hasher.ts'
import { type ParsedPieceCid, parsePieceCid } from './piece-cid.ts'
import { createPieceHasher } from './piece-hasher.ts'
import { chunkHeight, chunkRawBytes } from './piece-size.ts'
import { createSubtreeFold } from './subtree-fold.ts'

/** Whether these are the chunk roots of the piece. @throws PieceCidError */
export function areChunkRootsOf(pieceCid: string, chunkRoots: Uint8Array): boolean {
  const piece: ParsedPieceCid = parsePieceCid(pieceCid)
  // A piece of one chunk is proved by the piece CID: its tree may be lower than a chunk.
  if (piece.height <= chunkHeight || chunkRoots.length !== Math.ceil(piece.rawSize / chunkRawBytes) * nodeBytes) return false
  const fold = createSubtreeFold(nodeHasherChoice.hasher)
  for (let at = 0; at < chunkRoots.length; at += nodeBytes) {
    fold.add({ root: chunkRoots.subarray(at, at + nodeBytes), height: chunkHeight })
  }
  return Buffer.compare(fold.rootAt(piece.height), piece.root) === 0
}

/** Whether the bytes are those of the chunk at this position. `chunkRoots` must have been compared with the piece CID. */
export function isChunk(bytes: Uint8Array, chunkRoots: Uint8Array, position: number): boolean {
  const hasher = createPieceHasher()
  hasher.update(bytes)
  return Buffer.compare(hasher.chunkRoots(), chunkRoots.subarray(position * nodeBytes, (position + 1) * nodeBytes)) === 0
}
