// Worker thread: reads one segment of a file and answers with the root of its subtree and those of its chunks, one request after the other. The same read feeds
// the SHA-256 of the whole source, whose segments come in order and all to this thread.
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { PieceCalculationError, type PieceCalculationErrorCode } from './piece-calculation-error.ts'
import { createPieceHasher } from './piece-hasher.ts'
import type { Subtree } from './subtree-fold.ts'

export interface SegmentRequest {
  readonly calculationId: number
  /** 0 for the first of the calculation. */
  readonly position: number
  readonly path: string
  readonly offset: number
  readonly length: number
  readonly isLast: boolean
}

/** The calculation ended before its last segment. */
export interface DropRequest {
  readonly droppedId: number
}

export interface HashedSegment extends Subtree {
  readonly chunkRoots: Uint8Array
  /** Of the whole source, in lower-case hex; with its last segment. */
  readonly sha256?: string
}

/** Codes do not survive the copy of an error between threads, so they travel beside it. */
export type SegmentReply =
  | { readonly subtree: HashedSegment }
  | { readonly refusal: { readonly message: string; readonly code: PieceCalculationErrorCode; readonly cause: unknown } }

/** Large enough that a read costs little per byte, small enough to stay in the processor's cache. */
const READ_BLOCK_BYTES = 512 * 1024

const port = parentPort
if (!port) throw new Error('piece-worker.ts runs as a worker thread only')

const block = new Uint8Array(READ_BLOCK_BYTES)
/** Running digests of sources whose last segment has not come: one for each unfinished calculation at most. */
const digests = new Map<number, Hash>()
port.on('message', (request: SegmentRequest | DropRequest) => {
  if ('droppedId' in request) digests.delete(request.droppedId)
  else port.postMessage(replyTo(request))
})

function replyTo(request: SegmentRequest): SegmentReply {
  try {
    return { subtree: hashSegment(request) }
  } catch (error) {
    // A defect is left to end the thread: the pool reports it as a crash with this cause.
    if (!(error instanceof PieceCalculationError)) throw error
    return { refusal: { message: error.message, code: error.code, cause: error.cause } }
  }
}

// Blocking reads are right here: the thread has nothing else to do, and they need no slot of the shared I/O pool.
function hashSegment(segment: SegmentRequest): HashedSegment {
  const { calculationId, path, offset, length, isLast } = segment
  const file = readOrExplain(path, () => openSync(path, 'r'))
  try {
    const hasher = createPieceHasher()
    const digest = takeDigest(segment)
    for (let done = 0; done < length; ) {
      const wanted = Math.min(READ_BLOCK_BYTES, length - done)
      const count = readOrExplain(path, () => readSync(file, block, 0, wanted, offset + done))
      if (count === 0) {
        throw new PieceCalculationError(`${path} ends at byte ${offset + done}, expected ${offset + length}`, {
          code: 'piece_source_short',
        })
      }
      const bytes = block.subarray(0, count)
      hasher.update(bytes)
      digest.update(bytes)
      done += count
    }
    if (!isLast) digests.set(calculationId, digest)
    return { ...hasher.digest(), chunkRoots: hasher.chunkRoots(), ...(isLast && { sha256: digest.digest('hex') }) }
  } finally {
    closeSync(file)
  }
}

function takeDigest({ calculationId, position }: SegmentRequest): Hash {
  if (position === 0) return createHash('sha256')
  const digest = digests.get(calculationId)
  digests.delete(calculationId)
  if (digest) return digest
  // Another SHA-256 would look as if the file were damaged.
  throw new PieceCalculationError('the piece hashing thread that began this piece ended; compute it again', {
    code: 'piece_worker_crashed',
  })
}

function readOrExplain<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (isMissing) throw new PieceCalculationError(`there is no file at ${path}`, { code: 'piece_source_missing', cause })
    throw new PieceCalculationError(`${path} cannot be read: ${String(cause)}`, { code: 'piece_source_unreadable', cause })
  }
}
