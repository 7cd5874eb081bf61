// Computes piece CIDs of files on worker threads, so that the event loop stays free and large pieces use every core.
import { availableParallelism } from 'node:os'
import { HashingThread, type StartWorker, startPieceWorker } from './hashing-thread.ts'
import { type CalculatedPiece, PieceCalculation, type PieceSource } from './piece-calculation.ts'
import { PieceCalculationError } from './piece-calculation-error.ts'

export interface PieceCalculator extends AsyncDisposable {
  /**
   * The piece CID (version 2) and the chunk roots of a range of a file. Aborting rejects with the signal's reason at once;
   * a segment already being read is finished and dropped.
   * @throws PieceCalculationError
   */
  calculate(source: PieceSource): Promise<CalculatedPiece>
}

export interface PieceCalculatorOptions {
  /** Threads at most; one less than the cores unless given, at least 1. They are started when first needed. */
  readonly threads?: number
  readonly startWorker?: StartWorker
}

/** Calculations that may be under way or waiting at a time; more are refused with `piece_queue_full`. */
export const CALCULATIONS_MAX = 1024

export function createPieceCalculator(options: PieceCalculatorOptions = {}): PieceCalculator {
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1)
  return new ThreadPoolCalculator(threads, options.startWorker ?? startPieceWorker)
}

class ThreadPoolCalculator implements PieceCalculator {
  readonly #threads: readonly HashingThread[]
  /** The last used thread is taken first: further ones are started only when all before are busy. */
  readonly #idle: HashingThread[]
  /** Calculations with segments to hand out, one segment a turn: a small piece never waits for all of a large one. */
  readonly #queue: PieceCalculation[] = []
  readonly #unsettled = new Set<PieceCalculation>()
  #isClosed = false

  constructor(threads: number, startWorker: StartWorker) {
    this.#threads = Array.from({ length: threads }, () => new HashingThread(startWorker))
    this.#idle = [...this.#threads]
  }

  async calculate(source: PieceSource): Promise<CalculatedPiece> {
    source.signal?.throwIfAborted()
    if (this.#isClosed) throw closedError()
    if (this.#unsettled.size >= CALCULATIONS_MAX) {
      throw new PieceCalculationError(`${CALCULATIONS_MAX} piece calculations are waiting already; try again later`, {
        code: 'piece_queue_full',
      })
    }
    const calculation = new PieceCalculation(source)
    const abort = () => calculation.fail(source.signal?.reason)
    source.signal?.addEventListener('abort', abort, { once: true })
    this.#unsettled.add(calculation)
    this.#queue.push(calculation)
    this.#dispatch()
    try {
      return await calculation.outcome
    } finally {
      source.signal?.removeEventListener('abort', abort)
      this.#forget(calculation)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#queue.length = 0
    for (const calculation of this.#unsettled) calculation.fail(closedError())
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idle.pop()
      if (!thread) return
      const calculation = this.#queue.shift()
      if (calculation) void this.#hashSegment(thread, calculation)
    }
  }

  async #hashSegment(thread: HashingThread, calculation: PieceCalculation): Promise<void> {
    const { request, accept } = calculation.takeSegment()
    if (calculation.hasSegmentsLeft) this.#queue.push(calculation)
    try {
      accept(await thread.hash(request))
    } catch (error) {
      // The error belongs to the caller who waits for this piece; the thread goes on with the next one.
      calculation.fail(error)
      this.#forget(calculation)
    }
    this.#idle.push(thread)
    this.#dispatch()
  }

  /** No further segment of it is handed out. */
  #forget(calculation: PieceCalculation): void {
    this.#unsettled.delete(calculation)
    const place = this.#queue.indexOf(calculation)
    if (place >= 0) this.#queue.splice(place, 1)
  }
}

function closedError(): PieceCalculationError {
  const message = 'the piece calculator is shut down; restart the service to compute piece CIDs'
  return new PieceCalculationError(message, { code: 'piece_calculator_closed' })
}
