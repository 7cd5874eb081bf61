// The calculation of one piece in the pool: split into segments, whose subtrees are folded into the piece CID.
import type { HashingThread } from './hashing-thread.ts'
import { nodeHasherChoice } from './node-hasher.ts'
import { pieceCidOf } from './piece-cid.ts'
import { chunkRawBytes, heightOf, rawCapacity } from './piece-size.ts'
import type { FileRange, HashedSegment, SegmentAnswer, SegmentRequest } from './piece-worker.ts'
import { createSubtreeFold } from './subtree-fold.ts'

interface SourceFile {
  readonly path: string
  /** First byte of the piece in the file; 0 unless given. */
  readonly offset?: number
  /** Length in bytes, at least 1. */
  readonly length: number
}

/** Files whose bytes together are the piece. */
export type FilesSource = Padding & { readonly files: readonly SourceFile[] }

/** One file, several, or bytes in memory: at most `sharedBytesMax`, which may not change during the calculation. */
export type PieceSource = FilesSource | (Padding & (SourceFile | { readonly bytes: Uint8Array<SharedArrayBuffer> }))

interface Padding {
  /** Minimum size of the piece in bytes; missing bytes count as zeros. */
  readonly padTo?: number
}

/** Result of one pass over the bytes of a piece. */
export interface CalculatedPiece {
  /** Piece CID version 2. */
  readonly pieceCid: string
  /** SHA-256 of the bytes of each file without padding, in lower-case hex. */
  readonly sha256s: readonly string[]
  /** Digests that prove parts of the piece; see chunk-roots.ts. */
  readonly chunkRoots: Uint8Array
}

/** Memory of one block. */
export type BlockMemory = Uint8Array<ArrayBuffer>
export const newBlockMemory = (): BlockMemory => new Uint8Array(chunkRawBytes)

/** Consecutive bytes of a source that were read and hashed. */
export interface HashedBlock {
  readonly bytes: BlockMemory
  /** SHA-256 of each file that ends in the block. */
  readonly sha256s: readonly string[]
  /** Only with the last block. */
  readonly piece: CalculatedPiece | undefined
}

/** Raw bytes that exactly fill a tree of 8 MiB: a segment is one subtree of the piece and eight chunks. */
const segmentBytes = 8_323_072

/** One thread hashes this much in about 30 ms, so splitting it would gain little. */
const splitAboveBytes = 16 * 1024 * 1024
/** Bytes in memory are one segment. */
export const sharedBytesMax = splitAboveBytes

const noBytes = new Uint8Array()

export class PieceCalculation {
  readonly id: number
  /** Hashes all segments, because it has the running SHA-256, which needs them in order. Undefined before the first segment. */
  thread: HashingThread | undefined
  readonly #files: readonly SourceFile[]
  readonly #bytes: Uint8Array<SharedArrayBuffer> | undefined
  readonly #length: number
  readonly #padTo: number
  readonly #segmentBytes: number
  /** Each segment waits until it is asked for, and its bytes are handed over. */
  readonly isInBlocks: boolean
  #block: PromiseWithResolvers<HashedBlock> | undefined
  #memory: Uint8Array<ArrayBuffer> | undefined
  #piece: PromiseWithResolvers<CalculatedPiece> | undefined
  #failure: { readonly reason: unknown } | undefined
  /** Subtrees in segment order. */
  readonly #subtrees: HashedSegment[] = []
  #handedOut = 0

  constructor(id: number, source: PieceSource, { isInBlocks = false } = {}) {
    this.id = id
    this.isInBlocks = isInBlocks
    this.#bytes = 'bytes' in source ? source.bytes : undefined
    this.#files = 'bytes' in source ? [] : 'files' in source ? source.files : [source]
    for (const { length } of this.#bytes ? [this.#bytes] : this.#files) requireLength(length)
    this.#length = this.#bytes?.length ?? this.#files.reduce((sum, { length }) => sum + length, 0)
    if (this.#bytes && this.#length > sharedBytesMax)
      throw new RangeError(`${this.#length} bytes in memory; at most ${sharedBytesMax} are allowed`)
    this.#padTo = source.padTo ?? 0
    this.#segmentBytes = isInBlocks ? chunkRawBytes : this.#length > splitAboveBytes ? segmentBytes : this.#length
  }

  /** Returns the piece of a calculation that is not in blocks; call it once, before the first segment. */
  piece(): Promise<CalculatedPiece> {
    this.#piece = Promise.withResolvers()
    return this.#piece.promise
  }

  /** Calculates the next block in this memory; ask again after the answer. */
  nextBlock(memory: BlockMemory): Promise<HashedBlock> {
    if (this.#failure) return Promise.reject(this.#failure.reason)
    this.#memory = memory
    this.#block = Promise.withResolvers()
    return this.#block.promise
  }

  get segmentsLeft(): number {
    return this.#segmentCount - this.#handedOut
  }

  get bytesLeft(): number {
    return Math.max(0, this.#length - this.#handedOut * this.#segmentBytes)
  }

  /** The next segment; call `accept` with its subtree before taking another one. */
  takeSegment(): SegmentRequest {
    const start = this.#handedOut++ * this.#segmentBytes
    if (this.#bytes) return { calculationId: this.id, bytes: this.#bytes }
    const ranges = this.#rangesOf(start, Math.min(start + this.#segmentBytes, this.#length))
    return { calculationId: this.id, ranges, memory: this.#memory }
  }

  accept({ subtree, bytes = noBytes }: SegmentAnswer): void {
    this.#subtrees.push(subtree)
    const piece = this.segmentsLeft > 0 ? undefined : this.#finish()
    this.#block?.resolve({ bytes, sha256s: subtree.sha256s, piece })
    if (piece) this.#piece?.resolve(piece)
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#block?.reject(reason)
    this.#piece?.reject(reason)
  }

  get #segmentCount(): number {
    return Math.ceil(this.#length / this.#segmentBytes)
  }

  /** Where bytes `start` to `end`, exclusive, of the source are. */
  #rangesOf(start: number, end: number): readonly FileRange[] {
    const ranges: FileRange[] = []
    let fileStart = 0
    for (const { path, offset = 0, length } of this.#files) {
      const from = Math.max(start, fileStart)
      const to = Math.min(end, fileStart + length)
      if (from < to) {
        const isLast = to === fileStart + length
        ranges.push({ path, offset: offset + from - fileStart, length: to - from, isFirst: from === fileStart, isLast })
      }
      fileStart += length
    }
    return ranges
  }

  #finish(): CalculatedPiece {
    const chunkRoots = Buffer.concat(this.#subtrees.map((segment) => segment.chunkRoots))
    const sha256s = this.#subtrees.flatMap((segment) => segment.sha256s)
    return { pieceCid: this.#fold(), sha256s, chunkRoots }
  }

  #fold(): string {
    const size = Math.max(this.#length, this.#padTo)
    const height = heightOf(size)
    const fold = createSubtreeFold(nodeHasherChoice.hasher)
    for (const subtree of this.#subtrees) fold.add(subtree)
    return pieceCidOf({ root: fold.rootAt(height), height, padding: rawCapacity(height) - size })
  }
}

function requireLength(length: number): void {
  if (!Number.isSafeInteger(length) || length < 1) throw new RangeError(`cannot hash ${length} bytes of a file`)
}
