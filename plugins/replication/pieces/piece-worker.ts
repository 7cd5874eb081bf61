// Worker thread: reads one segment of a source per request and answers with the roots of its subtree and of its chunks. The same read
// feeds the SHA-256 of each file of the source, whose segments all come to this thread, in order.
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { nodeHasherChoice } from './node-hasher.ts'
import { PieceCalculationError, type PieceCalculationErrorCode } from './piece-calculation-error.ts'
import { createBatch, createPieceHasher } from './piece-hasher.ts'
import type { Subtree } from './subtree-fold.ts'

/** Consecutive bytes of one file. */
export interface FileRange {
  readonly path: string
  readonly offset: number
  readonly length: number
  /** The range has the first byte of the file's part of the source. */
  readonly isFirst: boolean
  /** The range has the last one: its digest is complete. */
  readonly isLast: boolean
}

export type SegmentRequest = { readonly calculationId: number } & (
  | {
      readonly ranges: readonly FileRange[]
      /** Is moved to the thread and back with the bytes; without it, the answer has none. */
      readonly memory: Uint8Array<ArrayBuffer> | undefined
    }
  /** A whole source, in memory that the threads share. */
  | { readonly bytes: Uint8Array<SharedArrayBuffer> }
)

/** The calculation ended before its last segment. */
export interface DropRequest {
  readonly droppedId: number
}

export interface HashedSegment extends Subtree {
  readonly chunkRoots: Uint8Array
  /** SHA-256 of each file that ends in the segment, in lower-case hex. */
  readonly sha256s: readonly string[]
}

export interface SegmentAnswer {
  readonly subtree: HashedSegment
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/** An error loses its code when it is copied between threads, so the code is sent separately. */
export type SegmentReply =
  | SegmentAnswer
  | { readonly refusal: { readonly message: string; readonly code: PieceCalculationErrorCode; readonly cause: unknown } }

/** Large enough for a low cost per byte, small enough for the CPU cache. */
const readBlockBytes = 512 * 1024

const port = parentPort
if (!port) throw new Error('piece-worker.ts runs as a worker thread only')

const block = new Uint8Array(readBlockBytes)
const batch = createBatch(nodeHasherChoice.hasher)

interface RunningFile {
  readonly digest: Hash
  /** Open until the end of the file: a PUT of the same bytes replaces the cached file and unlinks this one. */
  readonly fd: number
}

/** Files that continue in the next segment: at most one per unfinished calculation. */
const running = new Map<number, RunningFile>()

port.on('message', (request: SegmentRequest | DropRequest) => {
  if ('droppedId' in request) drop(request.droppedId)
  else reply(replyTo(request))
})

/** Bytes are moved to the other thread, not copied. */
function reply(answer: SegmentReply): void {
  port?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : [])
}

function replyTo(request: SegmentRequest): SegmentReply {
  try {
    return hashSegment(request)
  } catch (error) {
    // A defect ends the thread: the pool reports a crash with this cause.
    if (!(error instanceof PieceCalculationError)) throw error
    return { refusal: { message: error.message, code: error.code, cause: error.cause } }
  }
}

function hashSegment(request: SegmentRequest): SegmentAnswer {
  const hasher = createPieceHasher({ batch })
  const subtreeOf = (sha256s: readonly string[]) => ({ ...hasher.digest(), chunkRoots: hasher.chunkRoots(), sha256s })
  if ('bytes' in request) {
    hasher.update(request.bytes)
    return { subtree: subtreeOf([createHash('sha256').update(request.bytes).digest('hex')]) }
  }
  const { calculationId, ranges, memory } = request
  let read = 0
  const sha256s: string[] = []
  for (const range of ranges) {
    const file = range.isFirst ? openFile(range.path) : takeRunning(calculationId)
    let continues = false
    try {
      readRange(file.fd, range, memory?.subarray(read), (bytes) => {
        hasher.update(bytes)
        file.digest.update(bytes)
        read += bytes.length
      })
      continues = !range.isLast
    } finally {
      if (!continues) closeSync(file.fd)
    }
    if (continues) running.set(calculationId, file)
    else sha256s.push(file.digest.digest('hex'))
  }
  return { subtree: subtreeOf(sha256s), ...(memory && { bytes: memory.subarray(0, read) }) }
}

/**
 * Reads into `into`, or into one block after the other. Blocking reads: the thread has no other work, and they use no slot of libuv's
 * thread pool.
 */
function readRange(
  fd: number,
  { path, offset, length }: FileRange,
  into: Uint8Array | undefined,
  onBytes: (bytes: Uint8Array) => void,
): void {
  for (let done = 0; done < length; ) {
    const wanted = Math.min(readBlockBytes, length - done)
    const target = into?.subarray(done, done + wanted) ?? block
    const count = readOrExplain(path, () => readSync(fd, target, 0, wanted, offset + done))
    if (count === 0) {
      throw new PieceCalculationError(`${path} ends at byte ${offset + done}, expected ${offset + length}`, {
        code: 'piece_source_short',
      })
    }
    onBytes(target.subarray(0, count))
    done += count
  }
}

function openFile(path: string): RunningFile {
  return { fd: readOrExplain(path, () => openSync(path, 'r')), digest: createHash('sha256') }
}

function takeRunning(calculationId: number): RunningFile {
  const file = running.get(calculationId)
  running.delete(calculationId)
  if (file) return file
  // A new SHA-256 would not match and report the file as damaged.
  throw new PieceCalculationError('the thread that hashed earlier segments of this piece ended; compute the piece again', {
    code: 'piece_worker_crashed',
  })
}

function drop(calculationId: number): void {
  const file = running.get(calculationId)
  running.delete(calculationId)
  if (file) closeSync(file.fd)
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
