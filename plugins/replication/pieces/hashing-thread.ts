// One slot of the pool: at most one worker thread, started at the first segment and again after a crash.
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#kernel'
import { PieceCalculationError } from './piece-calculation-error.ts'
import type { DropRequest, SegmentAnswer, SegmentReply, SegmentRequest } from './piece-worker.ts'

export type StartWorker = () => Worker

/** Megabytes. The bytes of pieces are outside of the heap. */
const heapLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }
export const threadHeapBytesMax = (heapLimits.maxYoungGenerationSizeMb + heapLimits.maxOldGenerationSizeMb) * 1024 * 1024

// The worker file is next to this one, as source or compiled.
export const startPieceWorker: StartWorker = () =>
  startThread(new URL(`./piece-worker${extname(import.meta.url)}`, import.meta.url), { name: 'piece-worker', resourceLimits: heapLimits })

export class HashingThread {
  readonly #startWorker: StartWorker
  #worker: Worker | undefined
  #turn: PromiseWithResolvers<SegmentAnswer> | undefined

  constructor(startWorker: StartWorker) {
    this.#startWorker = startWorker
  }

  /** One segment at a time: await the answer before the next call. @throws PieceCalculationError */
  async hash(segment: SegmentRequest): Promise<SegmentAnswer> {
    this.#worker ??= this.#start()
    const turn = Promise.withResolvers<SegmentAnswer>()
    this.#turn = turn
    // Only a busy thread may keep the process alive.
    this.#worker.ref()
    this.#worker.postMessage(segment, 'memory' in segment && segment.memory ? [segment.memory.buffer] : [])
    try {
      return await turn.promise
    } finally {
      this.#turn = undefined
      this.#worker?.unref()
    }
  }

  /** Frees the running digest and the open file of a calculation that ended before its last segment. */
  drop(calculationId: number): void {
    this.#worker?.postMessage({ droppedId: calculationId } satisfies DropRequest)
  }

  /** 0 when the thread has not started or has ended. */
  async heapBytes(): Promise<number> {
    try {
      return (await this.#worker?.getHeapStatistics())?.total_heap_size ?? 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_NOT_RUNNING') return 0
      throw error
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = this.#startWorker()
    let cause: unknown
    worker.on('message', (reply: SegmentReply) => {
      if ('subtree' in reply) this.#turn?.resolve(reply)
      else this.#turn?.reject(new PieceCalculationError(reply.refusal.message, reply.refusal))
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (exitCode) => {
      this.#worker = undefined
      const message = `a piece hashing thread ended with exit code ${exitCode} before it answered`
      this.#turn?.reject(new PieceCalculationError(message, { code: 'piece_worker_crashed', cause }))
    })
    return worker
  }
}
