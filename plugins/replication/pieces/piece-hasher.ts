// Computes the root of a piece (CommP) from a stream of its bytes.
import { groupPaddedBytes, groupRawBytes, padFr32 } from './fr32.ts'
import { type NodeHasher, nodeBytes, nodeHasherChoice } from './node-hasher.ts'
import { chunkHeight, heightOf, rawCapacity } from './piece-size.ts'
import { createSubtreeFold, type Subtree } from './subtree-fold.ts'

/** Digest of a piece: the 32-byte root, the tree height, and the number of zero bytes added to the raw bytes to fill the tree. */
export interface PieceDigest {
  readonly root: Uint8Array
  readonly height: number
  readonly padding: number
}

export interface PieceHasher {
  /** Adds the next bytes. They are copied: the caller may reuse the chunk. */
  update(chunk: Uint8Array): void
  /** Digest of all bytes so far; more may follow. @throws RangeError for zero bytes */
  digest(): PieceDigest
  /** Roots of the chunks of all bytes so far, 32 bytes each, in memory of their own; the last chunk is padded with zeros. */
  chunkRoots(): Uint8Array
}

export interface PieceHasherOptions {
  /** Minimum size of the piece in bytes; missing bytes count as zeros. The minimum of providers is 127. */
  readonly padTo?: number
  readonly nodeHasher?: NodeHasher
  /** Memory of hashers that are used one after the other: 320 KiB, which would stay until a garbage collection. */
  readonly batch?: PieceBatch
}

/** 256 groups are 128 KiB padded: input and first layers fit into the CPU cache. */
const batchGroups = 256
const batchRawBytes = batchGroups * groupRawBytes
const batchPaddedBytes = batchGroups * groupPaddedBytes

export function createPieceHasher(options: PieceHasherOptions = {}): PieceHasher {
  const nodeHasher = options.nodeHasher ?? nodeHasherChoice.hasher
  const batch = options.batch ?? createBatch(nodeHasher)
  const chunks: Uint8Array[] = []
  const fold = createSubtreeFold(nodeHasher, ({ root, height }) => {
    if (height === chunkHeight) chunks.push(root)
  })
  const lastBatch = () => (filled > 0 ? batch.subtree(filled) : undefined)
  let filled = 0
  let received = 0

  return {
    update(chunk) {
      for (let taken = 0; taken < chunk.length; ) {
        const count = Math.min(chunk.length - taken, batchRawBytes - filled)
        batch.raw.set(chunk.subarray(taken, taken + count), filled)
        filled += count
        taken += count
        if (filled === batchRawBytes) {
          fold.add(batch.subtree(filled))
          filled = 0
        }
      }
      received += chunk.length
    },

    digest() {
      const size = Math.max(received, options.padTo ?? 0)
      const height = heightOf(size)
      return { root: fold.rootAt(height, lastBatch()), height, padding: rawCapacity(height) - size }
    },

    chunkRoots() {
      const unfinished = fold.unfinishedAt(chunkHeight, lastBatch())
      return joinNodes(unfinished ? [...chunks, unfinished] : chunks)
    },
  }
}

/** `Buffer.concat` takes memory of a pool: a thread that sends such bytes to another one copies the whole pool, 64 KiB. */
function joinNodes(nodes: readonly Uint8Array[]): Buffer {
  const joined = Buffer.alloc(nodes.length * nodeBytes)
  for (const [at, node] of nodes.entries()) joined.set(node, at * nodeBytes)
  return joined
}

interface PieceBatch {
  readonly raw: Uint8Array
  /** The smallest subtree over the first `size` raw bytes, padded with zeros. */
  subtree(size: number): Subtree
}

/** Memory for one batch, and the computation of its root. */
export function createBatch(nodeHasher: NodeHasher): PieceBatch {
  const raw = new Uint8Array(batchRawBytes)
  const rawWords = new Uint32Array(raw.buffer)
  const leaves = new Uint8Array(batchPaddedBytes)
  const leafWords = new Uint32Array(leaves.buffer)
  const nodes = new Uint8Array(batchPaddedBytes / 2)

  return {
    raw,
    subtree(size) {
      const groups = Math.ceil(size / groupRawBytes)
      const height = heightOf(size)
      raw.fill(0, size, groups * groupRawBytes)
      padFr32(rawWords, leafWords, groups)
      // The layers are hashed in this memory too: clear stale nodes after the leaves.
      leaves.fill(0, groups * groupPaddedBytes, nodeBytes * 2 ** height)
      let layer = leaves
      let parents = nodes
      for (let bytes = nodeBytes * 2 ** height; bytes > nodeBytes; bytes /= 2) {
        nodeHasher.hashLayer(layer.subarray(0, bytes), parents.subarray(0, bytes / 2))
        ;[layer, parents] = [parents, layer]
      }
      return { root: layer.slice(0, nodeBytes), height }
    },
  }
}
