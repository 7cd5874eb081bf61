// Computes piece CIDs of files on worker threads, which keeps the event loop free and uses all cores.
import { availableParallelism } from 'node:os'
import { HashingThread, type StartWorker, startPieceWorker, threadHeapBytesMax } from './hashing-thread.ts'
import {
  type BlockMemory,
  type CalculatedPiece,
  type FilesSource,
  type HashedBlock,
  newBlockMemory,
  PieceCalculation,
  type PieceSource,
} from './piece-calculation.ts'
import { PieceCalculationError } from './piece-calculation-error.ts'

export interface PieceCalculator extends AsyncDisposable {
  /**
   * The piece CID (version 2), the SHA-256 of each file and the chunk roots, all from the same read. An abort rejects at once with
   * the signal's reason; the segment being read is finished and dropped.
   * @throws PieceCalculationError
   */
  calculate(source: PieceSource & { readonly signal?: AbortSignal }): Promise<CalculatedPiece>
  /**
   * Reads the files once, in blocks of at most 1,040,384 bytes without padding. While the caller uses a block, the next one is read. The
   * bytes of a block are valid until the next one is asked for: two memories take turns. An abort ends it as in `calculate`.
   * @throws PieceCalculationError
   */
  read(source: FilesSource & { readonly signal?: AbortSignal }): AsyncGenerator<HashedBlock, void, void>
  /** The heaps of the threads. */
  memory(): Promise<{ readonly budgetBytes: number; readonly usedBytes: number }>
}

interface PieceCalculatorOptions {
  /** Maximum number of threads, at least 1; default: cores minus one. They are started on demand. */
  readonly threads?: number
  readonly startWorker?: StartWorker
}

/** Maximum number of running and waiting calculations; more are refused with `piece_queue_full`. */
export const calculationsMax = 1024

export function createPieceCalculator(options: PieceCalculatorOptions = {}): PieceCalculator {
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1)
  return new ThreadPoolCalculator(threads, options.startWorker ?? startPieceWorker)
}

class ThreadPoolCalculator implements PieceCalculator {
  readonly #threads: readonly HashingThread[]
  /** The last used thread is taken first: another one is started only when all started ones are busy. */
  readonly #idle: HashingThread[]
  /** Calculations with a segment to hash. */
  readonly #queue: PieceCalculation[] = []
  #segmentsStarted = 0
  readonly #unsettled = new Set<PieceCalculation>()
  #lastId = 0
  #isClosed = false

  constructor(threads: number, startWorker: StartWorker) {
    this.#threads = Array.from({ length: threads }, () => new HashingThread(startWorker))
    this.#idle = [...this.#threads]
  }

  async calculate({ signal, ...source }: PieceSource & { readonly signal?: AbortSignal }): Promise<CalculatedPiece> {
    using turn = this.#begin((id) => new PieceCalculation(id, source), signal)
    const piece = turn.calculation.piece()
    this.#enqueue(turn.calculation)
    return await piece
  }

  async *read({ signal, ...source }: FilesSource & { readonly signal?: AbortSignal }): AsyncGenerator<HashedBlock, void, void> {
    using turn = this.#begin((id) => new PieceCalculation(id, source, { isInBlocks: true }), signal)
    let free = newBlockMemory()
    for (let block = await this.#nextBlock(turn.calculation, newBlockMemory()); ; ) {
      if (block.piece) return yield block
      const next = this.#nextBlock(turn.calculation, free)
      // Reported when it is awaited, which a caller that stops reading does not do.
      next.catch(() => {})
      yield block
      free = new Uint8Array(block.bytes.buffer)
      block = await next
    }
  }

  async memory() {
    const used = await Promise.all(this.#threads.map((thread) => thread.heapBytes()))
    return { budgetBytes: this.#threads.length * threadHeapBytesMax, usedBytes: used.reduce((sum, bytes) => sum + bytes, 0) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#queue.length = 0
    for (const calculation of this.#unsettled) calculation.fail(closedError())
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }

  /** A calculation that fails when the signal aborts, and ends with the scope. */
  #begin(
    create: (id: number) => PieceCalculation,
    signal: AbortSignal | undefined,
  ): Disposable & { readonly calculation: PieceCalculation } {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closedError()
    if (this.#unsettled.size >= calculationsMax) {
      throw new PieceCalculationError(`${calculationsMax} piece calculations are already waiting; try again later`, {
        code: 'piece_queue_full',
      })
    }
    const calculation = create(++this.#lastId)
    this.#unsettled.add(calculation)
    const abort = () => calculation.fail(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    return {
      calculation,
      [Symbol.dispose]: () => {
        signal?.removeEventListener('abort', abort)
        this.#forget(calculation)
      },
    }
  }

  #nextBlock(calculation: PieceCalculation, memory: BlockMemory): Promise<HashedBlock> {
    const block = calculation.nextBlock(memory)
    // Not after a failure or the end of the pool, which reject the block.
    if (this.#unsettled.has(calculation) && !this.#isClosed) this.#enqueue(calculation)
    return block
  }

  #enqueue(calculation: PieceCalculation): void {
    this.#queue.push(calculation)
    this.#dispatch()
  }

  #dispatch(): void {
    for (const calculation of this.#inOrder()) {
      const thread = calculation.thread ?? (calculation.isInBlocks ? this.#leastRead() : this.#idle.at(-1))
      if (!thread) return
      // Its thread is busy with another piece: dispatched again when a segment ends.
      if (!remove(this.#idle, thread)) continue
      remove(this.#queue, calculation)
      this.#segmentsStarted += 1
      void this.#hashSegment(thread, calculation)
    }
  }

  /** A calculation in blocks leaves its thread idle most of the time, and must come back to it: each goes to the one with the fewest others. */
  #leastRead(): HashingThread | undefined {
    const readers = (thread: HashingThread) => [...this.#unsettled].filter((other) => other.isInBlocks && other.thread === thread).length
    return this.#idle.toReversed().sort((a, b) => readers(a) - readers(b))[0]
  }

  /**
   * Fewest bytes left first: small pieces do not wait for large ones, and large ones end one by one instead of all at the end. Each fourth
   * segment is of the oldest calculation, so that newer pieces do not starve it.
   */
  #inOrder(): readonly PieceCalculation[] {
    const isOldestFirst = this.#segmentsStarted % 4 === 3
    return this.#queue.toSorted((a, b) => (isOldestFirst ? 0 : a.bytesLeft - b.bytesLeft) || a.id - b.id)
  }

  async #hashSegment(thread: HashingThread, calculation: PieceCalculation): Promise<void> {
    calculation.thread = thread
    try {
      calculation.accept(await thread.hash(calculation.takeSegment()))
      if (!calculation.isInBlocks && this.#unsettled.has(calculation) && calculation.segmentsLeft > 0) this.#queue.push(calculation)
    } catch (error) {
      // The caller of this piece gets the error; the thread continues with the next one.
      calculation.fail(error)
      this.#forget(calculation)
    }
    this.#idle.push(thread)
    this.#dispatch()
  }

  /** Ends the calculation: no further segment of it is hashed. */
  #forget(calculation: PieceCalculation): void {
    this.#unsettled.delete(calculation)
    remove(this.#queue, calculation)
    if (calculation.segmentsLeft > 0) calculation.thread?.drop(calculation.id)
  }
}

function remove<T>(items: T[], item: T): boolean {
  const place = items.indexOf(item)
  if (place >= 0) items.splice(place, 1)
  return place >= 0
}

function closedError(): PieceCalculationError {
  const message = 'the piece calculator is shut down; restart the service to compute piece CIDs'
  return new PieceCalculationError(message, { code: 'piece_calculator_closed' })
}
