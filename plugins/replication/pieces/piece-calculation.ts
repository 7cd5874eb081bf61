// The calculation of one piece in the pool: split into segments, whose subtrees are folded into the piece CID.
import type { HashingThread } from './hashing-thread.ts'
import { nodeHasherChoice } from './node-hasher.ts'
import { pieceCidOf } from './piece-cid.ts'
import { heightOf, rawCapacity } from './piece-size.ts'
import type { FileRange, HashedSegment, SegmentRequest } from './piece-worker.ts'
import { createSubtreeFold } from './subtree-fold.ts'

interface SourceFile {
  readonly path: string
  /** First byte of the piece in the file; 0 unless given. */
  readonly offset?: number
  /** Length in bytes, at least 1. */
  readonly length: number
}

/** One file, several whose bytes together are the piece, or bytes in memory: at most `sharedBytesMax`, which may not change during the calculation. */
export type PieceSource = SourceOptions &
  (SourceFile | { readonly files: readonly SourceFile[] } | { readonly bytes: Uint8Array<SharedArrayBuffer> })

interface SourceOptions {
  /** Minimum size of the piece in bytes; missing bytes count as zeros. */
  readonly padTo?: number
  readonly signal?: AbortSignal
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

/** Raw bytes that exactly fill a tree of 8 MiB: a segment is one subtree of the piece and eight chunks. */
const segmentBytes = 8_323_072

/** One thread hashes this much in about 30 ms, so splitting it would gain little. */
const splitAboveBytes = 16 * 1024 * 1024
/** Bytes in memory are one segment. */
export const sharedBytesMax = splitAboveBytes

export class PieceCalculation {
  readonly id: number
  /** Hashes all segments, because it has the running SHA-256, which needs them in order. Undefined before the first segment. */
  thread: HashingThread | undefined
  readonly #files: readonly SourceFile[]
  readonly #bytes: Uint8Array<SharedArrayBuffer> | undefined
  readonly #length: number
  readonly #padTo: number
  readonly #segmentBytes: number
  readonly #outcome = Promise.withResolvers<CalculatedPiece>()
  /** In segment order. */
  readonly #subtrees: HashedSegment[] = []
  #handedOut = 0

  constructor(id: number, source: PieceSource) {
    this.id = id
    this.#bytes = 'bytes' in source ? source.bytes : undefined
    this.#files = 'bytes' in source ? [] : 'files' in source ? source.files : [source]
    for (const { length } of this.#bytes ? [this.#bytes] : this.#files) {
      if (!Number.isSafeInteger(length) || length < 1) throw new RangeError(`cannot hash ${length} bytes of a file`)
    }
    this.#length = this.#bytes?.length ?? this.#files.reduce((sum, { length }) => sum + length, 0)
    if (this.#bytes && this.#length > sharedBytesMax)
      throw new RangeError(`${this.#length} bytes in memory; at most ${sharedBytesMax} are allowed`)
    this.#padTo = source.padTo ?? 0
    this.#segmentBytes = this.#length > splitAboveBytes ? segmentBytes : this.#length
  }

  get outcome(): Promise<CalculatedPiece> {
    return this.#outcome.promise
  }

  get segmentsLeft(): number {
    return this.#segmentCount - this.#handedOut
  }

  /** The next segment; call `accept` with its subtree before taking another one. */
  takeSegment(): SegmentRequest {
    const start = this.#handedOut++ * this.#segmentBytes
    if (this.#bytes) return { calculationId: this.id, bytes: this.#bytes }
    return { calculationId: this.id, ranges: this.#rangesOf(start, Math.min(start + this.#segmentBytes, this.#length)) }
  }

  accept(subtree: HashedSegment): void {
    this.#subtrees.push(subtree)
    if (this.segmentsLeft > 0) return
    const chunkRoots = Buffer.concat(this.#subtrees.map((segment) => segment.chunkRoots))
    const sha256s = this.#subtrees.flatMap((segment) => segment.sha256s)
    this.#outcome.resolve({ pieceCid: this.#fold(), sha256s, chunkRoots })
  }

  fail(reason: unknown): void {
    this.#outcome.reject(reason)
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

  #fold(): string {
    const size = Math.max(this.#length, this.#padTo)
    const height = heightOf(size)
    const fold = createSubtreeFold(nodeHasherChoice.hasher)
    for (const subtree of this.#subtrees) fold.add(subtree)
    return pieceCidOf({ root: fold.rootAt(height), height, padding: rawCapacity(height) - size })
  }
}
