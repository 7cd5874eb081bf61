// Computes the piece CID of a stream. It shares no code with the gateway, so that the two check each other.
import { createRequire } from 'node:module'
import { digest64Into } from '@chainsafe/as-sha256'
import { varint } from 'multiformats'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import { create as createMultihash } from 'multiformats/hashes/digest'

/** Codec `raw` and multihash `fr32-sha2-256-trunc254-padded-binary-tree`. */
const CODEC_RAW = 0x55
const MULTIHASH_V2 = 0x1011
const NODE_BYTES = 32
const NODE_WORDS = 8
/** Padding makes 128 bytes, 4 nodes, of 127. */
const GROUP_RAW_BYTES = 127
const GROUP_BYTES = 128
const GROUPS_PER_BATCH = 1024
const BATCH_RAW_BYTES = GROUPS_PER_BATCH * GROUP_RAW_BYTES
/** Height of the tree over one batch: 4096 nodes. */
const BATCH_HEIGHT = Math.log2((GROUPS_PER_BATCH * GROUP_BYTES) / NODE_BYTES)
/** The smallest piece has 4 nodes. */
const HEIGHT_MIN = 2

const hashPairs = loadHashtree() ?? hashPairsSlowly

/** Returns undefined where it has no native code. */
function loadHashtree(): ((layer: Uint8Array, parents: Uint8Array) => void) | undefined {
  try {
    return createRequire(import.meta.url)('@chainsafe/hashtree').hashInto
  } catch {
    return undefined
  }
}

function hashPairsSlowly(layer: Uint8Array, parents: Uint8Array): void {
  for (let at = 0; at < parents.length; at += NODE_BYTES)
    digest64Into(layer.subarray(2 * at, 2 * (at + NODE_BYTES)), parents.subarray(at, at + NODE_BYTES))
}

export interface PieceName {
  readonly root: Uint8Array
  readonly rawSize: number
  /** The form in contract calls. */
  readonly bytes: Uint8Array
}

interface PieceCommitment {
  update(chunk: Uint8Array): void
  /** The piece CID of all bytes; call it once. */
  pieceCid(): string
}

/** Includes the byte that `pad` reads behind the last group. */
const newBatch = (): Uint8Array => new Uint8Array(BATCH_RAW_BYTES + 1)

export function createPieceCommitment(): PieceCommitment {
  const raw = newBatch()
  /** Holds at index h the root of a finished subtree of height BATCH_HEIGHT + h that waits for its sibling. */
  const waiting: (Uint8Array | undefined)[] = []
  let filled = 0
  let rawSize = 0
  const addBatch = (): void => {
    let root = rootOf(raw, BATCH_HEIGHT)
    let at = 0
    for (; waiting[at]; at++) {
      root = parentOf(waiting[at] as Uint8Array, root)
      waiting[at] = undefined
    }
    waiting[at] = root
    filled = 0
    raw.fill(0)
  }
  return {
    update(chunk) {
      for (let taken = 0; taken < chunk.length; ) {
        const count = Math.min(chunk.length - taken, BATCH_RAW_BYTES - filled)
        raw.set(chunk.subarray(taken, taken + count), filled)
        filled += count
        taken += count
        if (filled === BATCH_RAW_BYTES) addBatch()
      }
      rawSize += chunk.length
    },
    pieceCid() {
      const height = heightOf(rawSize)
      if (height <= BATCH_HEIGHT) return writePieceCid(waiting[0] ?? rootOf(raw, height), height, rawSize)
      if (filled > 0) addBatch()
      return writePieceCid(joinSubtrees(waiting, height - BATCH_HEIGHT), height, rawSize)
    },
  }
}

/** Root over the subtrees of batches, from the last to the first; zeros fill the tree, which has `heightMax` levels above them. */
function joinSubtrees(waiting: readonly (Uint8Array | undefined)[], heightMax: number): Uint8Array {
  let zero = rootOf(newBatch(), BATCH_HEIGHT)
  let root: Uint8Array | undefined
  for (let at = 0; at < heightMax; at++) {
    const left = waiting[at]
    if (left) root = parentOf(left, root ?? zero)
    else if (root) root = parentOf(root, zero)
    zero = parentOf(zero, zero)
  }
  return waiting[heightMax] ?? root ?? zero
}

/** Height of the smallest tree whose padded leaves hold the bytes. */
function heightOf(rawSize: number): number {
  let height = HEIGHT_MIN
  while (rawCapacity(height) < rawSize) height++
  return height
}

const rawCapacity = (height: number): number => (2 ** height * NODE_BYTES * GROUP_RAW_BYTES) / GROUP_BYTES

/** Root of a tree of this height over the first groups of `raw`. */
function rootOf(raw: Uint8Array, height: number): Uint8Array {
  let layer = new Uint8Array(2 ** height * NODE_BYTES)
  const words = new Uint32Array(layer.buffer)
  const view = new DataView(raw.buffer)
  for (let group = 0; group * GROUP_BYTES < layer.length; group++) pad(view, group * GROUP_RAW_BYTES, words, (group * GROUP_BYTES) / 4)
  while (layer.length > NODE_BYTES) layer = parentsOf(layer)
  return layer
}

/** Each 254 bits become 256: two zero bits follow them. Bits count from the lowest of the first byte. */
function pad(raw: DataView, from: number, words: Uint32Array, to: number): void {
  for (let node = 0; node < 4; node++) {
    const shift = 2 * node
    const first = node * NODE_WORDS
    let before = node === 0 ? 0 : raw.getUint32(from + 4 * first - 4, true)
    for (let at = first; at < first + NODE_WORDS; at++) {
      // The last byte of a group is that of the next one, whose bits are cleared.
      const word = raw.getUint32(from + 4 * at, true)
      words[to + at] = shift === 0 ? word : (before >>> (32 - shift)) | (word << shift)
      before = word
    }
    words[to + first + NODE_WORDS - 1] = (words[to + first + NODE_WORDS - 1] as number) & 0x3fffffff
  }
}

function parentsOf(layer: Uint8Array): Uint8Array<ArrayBuffer> {
  const parents = new Uint8Array(layer.length / 2)
  hashPairs(layer, parents)
  // A node is a number of 254 bits.
  for (let top = NODE_BYTES - 1; top < parents.length; top += NODE_BYTES) parents[top] = (parents[top] as number) & 0x3f
  return parents
}

const parentOf = (left: Uint8Array, right: Uint8Array): Uint8Array => parentsOf(Buffer.concat([left, right]))

function writePieceCid(root: Uint8Array, height: number, rawSize: number): string {
  const padding = rawCapacity(height) - rawSize
  const body = Buffer.concat([varint.encodeTo(padding, new Uint8Array(varint.encodingLength(padding))), Uint8Array.of(height), root])
  return CID.createV1(CODEC_RAW, createMultihash(MULTIHASH_V2, body)).toString(base32)
}

/** The root and the size that a piece CID of version 2 holds; undefined for any other text, and for one that no piece has. */
export function readPieceCid(text: string): PieceName | undefined {
  try {
    const cid = CID.parse(text, base32)
    if (cid.code !== CODEC_RAW || cid.multihash.code !== MULTIHASH_V2) return undefined
    const [padding, at] = varint.decode(cid.multihash.digest)
    const height = cid.multihash.digest[at] ?? 0
    const root = cid.multihash.digest.subarray(at + 1)
    const rawSize = rawCapacity(height) - padding
    const isPiece = root.length === NODE_BYTES && rawSize > 0 && height >= HEIGHT_MIN
    return isPiece && writePieceCid(root, height, rawSize) === text ? { root, rawSize, bytes: cid.bytes } : undefined
  } catch {
    // Any parse error means that the text is not a piece CID.
    return undefined
  }
}
