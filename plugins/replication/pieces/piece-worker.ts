// Worker thread: reads one segment of a file per request and answers with the roots of its subtree and of its chunks. The same read
// feeds the SHA-256 of the whole source, whose segments all come to this thread, in order.
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { PieceCalculationError, type PieceCalculationErrorCode } from './piece-calculation-error.ts'
import { createPieceHasher } from './piece-hasher.ts'
import type { Subtree } from './subtree-fold.ts'

export interface SegmentRequest {
  readonly calculationId: number
  /** Index of the segment in the calculation, from 0. */
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
  /** SHA-256 of the whole source in lower-case hex; only with its last segment. */
  readonly sha256?: string
}

/** An error loses its code when it is copied between threads, so the code is sent separately. */
export type SegmentReply =
  | { readonly subtree: HashedSegment }
  | { readonly refusal: { readonly message: string; readonly code: PieceCalculationErrorCode; readonly cause: unknown } }

/** Large enough for a low cost per byte, small enough for the CPU cache. */
const readBlockBytes = 512 * 1024

const port = parentPort
if (!port) throw new Error('piece-worker.ts runs as a worker thread only')

const block = new Uint8Array(readBlockBytes)
/** Running digests of sources with outstanding segments: at most one per unfinished calculation. */
const digests = new Map<number, Hash>()
port.on('message', (request: SegmentRequest | DropRequest) => {
  if ('droppedId' in request) digests.delete(request.droppedId)
  else port.postMessage(replyTo(request))
})

function replyTo(request: SegmentRequest): SegmentReply {
  try {
    return { subtree: hashSegment(request) }
  } catch (error) {
    // A defect ends the thread: the pool reports a crash with this cause.
    if (!(error instanceof PieceCalculationError)) throw error
    return { refusal: { message: error.message, code: error.code, cause: error.cause } }
  }
}

// Blocking reads: the thread has no other work, and they use no slot of libuv's thread pool.
function hashSegment(segment: SegmentRequest): HashedSegment {
  const { calculationId, path, offset, length, isLast } = segment
  const file = readOrExplain(path, () => openSync(path, 'r'))
  try {
    const hasher = createPieceHasher()
    const digest = takeDigest(segment)
    for (let done = 0; done < length; ) {
      const wanted = Math.min(readBlockBytes, length - done)
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
  // A new SHA-256 would not match and report the file as damaged.
  throw new PieceCalculationError('the thread that hashed earlier segments of this piece ended; compute the piece again', {
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
