// Computes the root of a piece (CommP) from its bytes as they stream by.
import { GROUP_PADDED_BYTES, GROUP_RAW_BYTES, padFr32 } from './fr32.ts'
import { NODE_BYTES, type NodeHasher, nodeHasherChoice } from './node-hasher.ts'
import { heightOf, rawCapacity } from './piece-size.ts'
import { createSubtreeFold, type Subtree } from './subtree-fold.ts'

/** What names a piece: the 32-byte root, the tree height, and how many zero bytes were added to the raw bytes to fill the tree. */
export interface PieceDigest {
  readonly root: Uint8Array
  readonly height: number
  readonly padding: number
}

export interface PieceHasher {
  /** Takes the next bytes; they are copied, so the caller may reuse the chunk. */
  update(chunk: Uint8Array): void
  /** The digest of all bytes so far; more may follow. @throws RangeError when there are none */
  digest(): PieceDigest
}

export interface PieceHasherOptions {
  /** Counts the piece as this many bytes at least, the missing ones being zeros (127 is what a provider takes at least). */
  readonly padTo?: number
  readonly nodeHasher?: NodeHasher
}

/** 256 groups are 128 KiB padded: input and first layers stay in the processor's cache. */
const BATCH_GROUPS = 256
const BATCH_RAW_BYTES = BATCH_GROUPS * GROUP_RAW_BYTES
const BATCH_PADDED_BYTES = BATCH_GROUPS * GROUP_PADDED_BYTES

export function createPieceHasher(options: PieceHasherOptions = {}): PieceHasher {
  const nodeHasher = options.nodeHasher ?? nodeHasherChoice.hasher
  const batch = createBatch(nodeHasher)
  const fold = createSubtreeFold(nodeHasher)
  let filled = 0
  let received = 0

  return {
    update(chunk) {
      for (let taken = 0; taken < chunk.length; ) {
        const count = Math.min(chunk.length - taken, BATCH_RAW_BYTES - filled)
        batch.raw.set(chunk.subarray(taken, taken + count), filled)
        filled += count
        taken += count
        if (filled === BATCH_RAW_BYTES) {
          fold.add(batch.subtree(filled))
          filled = 0
        }
      }
      received += chunk.length
    },

    digest() {
      const size = Math.max(received, options.padTo ?? 0)
      const height = heightOf(size)
      const last = filled > 0 ? batch.subtree(filled) : undefined
      return { root: fold.rootAt(height, last), height, padding: rawCapacity(height) - size }
    },
  }
}

interface Batch {
  readonly raw: Uint8Array
  /** The smallest subtree over the first `size` raw bytes, zeros after them. */
  subtree(size: number): Subtree
}

/** Memory for one batch, and the way from its raw bytes to one root. */
function createBatch(nodeHasher: NodeHasher): Batch {
  const raw = new Uint8Array(BATCH_RAW_BYTES)
  const rawWords = new Uint32Array(raw.buffer)
  const leaves = new Uint8Array(BATCH_PADDED_BYTES)
  const leafWords = new Uint32Array(leaves.buffer)
  const nodes = new Uint8Array(BATCH_PADDED_BYTES / 2)

  return {
    raw,
    subtree(size) {
      const groups = Math.ceil(size / GROUP_RAW_BYTES)
      const height = heightOf(size)
      raw.fill(0, size, groups * GROUP_RAW_BYTES)
      padFr32(rawWords, leafWords, groups)
      // The layers below are hashed in this memory too, so what lies behind the leaves is stale.
      leaves.fill(0, groups * GROUP_PADDED_BYTES, NODE_BYTES * 2 ** height)
      let layer = leaves
      let parents = nodes
      for (let bytes = NODE_BYTES * 2 ** height; bytes > NODE_BYTES; bytes /= 2) {
        nodeHasher.hashLayer(layer.subarray(0, bytes), parents.subarray(0, bytes / 2))
        ;[layer, parents] = [parents, layer]
      }
      return { root: layer.slice(0, NODE_BYTES), height }
    },
  }
}
