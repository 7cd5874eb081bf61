// Worker thread: reads one segment of a file and answers with the root of its subtree and those of its chunks, one request after the other.
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { PieceCalculationError, type PieceCalculationErrorCode } from './piece-calculation-error.ts'
import { createPieceHasher } from './piece-hasher.ts'
import type { Subtree } from './subtree-fold.ts'

export interface SegmentRequest {
  readonly path: string
  readonly offset: number
  readonly length: number
}

export interface HashedSegment extends Subtree {
  readonly chunkRoots: Uint8Array
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
port.on('message', (request: SegmentRequest) => port.postMessage(replyTo(request)))

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
function hashSegment({ path, offset, length }: SegmentRequest): HashedSegment {
  const file = readOrExplain(path, () => openSync(path, 'r'))
  try {
    const hasher = createPieceHasher()
    for (let done = 0; done < length; ) {
      const wanted = Math.min(READ_BLOCK_BYTES, length - done)
      const count = readOrExplain(path, () => readSync(file, block, 0, wanted, offset + done))
      if (count === 0) {
        throw new PieceCalculationError(`${path} ends at byte ${offset + done}, expected ${offset + length}`, {
          code: 'piece_source_short',
        })
      }
      hasher.update(block.subarray(0, count))
      done += count
    }
    return { ...hasher.digest(), chunkRoots: hasher.chunkRoots() }
  } finally {
    closeSync(file)
  }
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
