// The calculation of one piece in the pool: split into segments, whose subtrees are folded into the piece CID.
import type { HashingThread } from './hashing-thread.ts'
import { nodeHasherChoice } from './node-hasher.ts'
import { pieceCidOf } from './piece-cid.ts'
import { heightOf, rawCapacity } from './piece-size.ts'
import type { HashedSegment, SegmentRequest } from './piece-worker.ts'
import { createSubtreeFold } from './subtree-fold.ts'

export interface PieceSource {
  readonly path: string
  /** First byte of the piece in the file; 0 unless given. */
  readonly offset?: number
  /** Length of the piece in bytes, at least 1. */
  readonly length: number
  /** Minimum size of the piece in bytes; missing bytes count as zeros. */
  readonly padTo?: number
  readonly signal?: AbortSignal
}

/** Result of one pass over the bytes of a piece. */
export interface CalculatedPiece {
  /** Piece CID version 2. */
  readonly pieceCid: string
  /** SHA-256 of the file bytes without padding, in lower-case hex. */
  readonly sha256: string
  /** Digests that prove parts of the piece; see chunk-roots.ts. */
  readonly chunkRoots: Uint8Array
}

/** Raw bytes that exactly fill a tree of 8 MiB: a segment is one subtree of the piece and eight chunks. */
const segmentBytes = 8_323_072

/** One thread hashes this much in about 30 ms, so splitting it would gain little. */
const splitAboveBytes = 16 * 1024 * 1024

export class PieceCalculation {
  readonly id: number
  /** Hashes all segments, because it has the running SHA-256, which needs them in order. Undefined before the first segment. */
  thread: HashingThread | undefined
  readonly #source: PieceSource
  readonly #segmentBytes: number
  readonly #outcome = Promise.withResolvers<CalculatedPiece>()
  /** In segment order. */
  readonly #subtrees: HashedSegment[] = []
  #handedOut = 0

  constructor(id: number, source: PieceSource) {
    if (!Number.isSafeInteger(source.length) || source.length < 1) throw new RangeError(`cannot hash ${source.length} bytes of a file`)
    this.id = id
    this.#source = source
    this.#segmentBytes = source.length > splitAboveBytes ? segmentBytes : source.length
  }

  get outcome(): Promise<CalculatedPiece> {
    return this.#outcome.promise
  }

  get hasSegmentsLeft(): boolean {
    return this.#handedOut < this.#segmentCount
  }

  /** The next segment; call `accept` with its subtree before taking another one. */
  takeSegment(): SegmentRequest {
    const position = this.#handedOut++
    const start = position * this.#segmentBytes
    const { path, offset = 0, length } = this.#source
    return {
      calculationId: this.id,
      position,
      path,
      offset: offset + start,
      length: Math.min(this.#segmentBytes, length - start),
      isLast: !this.hasSegmentsLeft,
    }
  }

  accept(subtree: HashedSegment): void {
    this.#subtrees.push(subtree)
    if (subtree.sha256 === undefined) return
    const chunkRoots = Buffer.concat(this.#subtrees.map((segment) => segment.chunkRoots))
    this.#outcome.resolve({ pieceCid: this.#fold(), sha256: subtree.sha256, chunkRoots })
  }

  fail(reason: unknown): void {
    this.#outcome.reject(reason)
  }

  get #segmentCount(): number {
    return Math.ceil(this.#source.length / this.#segmentBytes)
  }

  #fold(): string {
    const size = Math.max(this.#source.length, this.#source.padTo ?? 0)
    const height = heightOf(size)
    const fold = createSubtreeFold(nodeHasherChoice.hasher)
    for (const subtree of this.#subtrees) fold.add(subtree)
    return pieceCidOf({ root: fold.rootAt(height), height, padding: rawCapacity(height) - size })
  }
}
