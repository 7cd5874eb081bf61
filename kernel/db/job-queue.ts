import type { Tx, WriteOptions } from './database.ts'
import { runEffect } from './effects.ts'

interface JobQueueOptions {
  /** Declared rows of the jobs in one transaction, unless it has only one job; bounds how long it blocks others. */
  readonly rowsPerCommitMax: number
  /** Maps an error to the one that callers get. */
  readonly explain: (error: unknown) => unknown
  /** Settles the jobs that it takes. Called again when it has ended. */
  readonly commit: (take: () => readonly Job[]) => Promise<void>
}

/** Gathers write jobs, so that those of a tick share a transaction. */
export function createJobQueue({ rowsPerCommitMax, explain, commit }: JobQueueOptions) {
  const queue: Job[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      // Yield first: writers of this tick still join the group, and a long queue never starves the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      await commit(() => queue.splice(0, countNext(queue, rowsPerCommitMax)))
    }
    flushing = undefined
  }

  return {
    write<T>(run: (tx: Tx) => T | Promise<T>, { rows = 1 }: WriteOptions = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('the database is closed'))
      return new Promise<T>((resolve, reject) => {
        const job = new Job(run as (tx: Tx) => unknown, resolve as (value: unknown) => void, (error) => reject(explain(error)))
        job.rows = rows
        queue.push(job)
        flushing ??= flush()
      })
    },
    async close(): Promise<void> {
      closed = true
      await flushing
    },
  }
}

/** The number of jobs of the next transaction: at least one, and as many as have no more rows together. */
function countNext(queue: readonly Job[], rowsMax: number): number {
  let rows = 0
  const end = queue.findIndex((job, at) => {
    rows += job.rows
    return at > 0 && rows > rowsMax
  })
  return end < 0 ? queue.length : end
}

/** A write job with its result, which the caller gets when the transaction has ended. */
export class Job {
  readonly run: (tx: Tx) => unknown
  /** Number of rows, declared by the caller. */
  rows = 1
  readonly reject: (error: unknown) => void
  readonly #resolve: (value: unknown) => void
  #isKept = false
  /** The value of a kept job, the error of another. */
  #result: unknown
  #effects: readonly (() => void)[] = []

  constructor(run: (tx: Tx) => unknown, resolve: (value: unknown) => void, reject: (error: unknown) => void) {
    this.run = run
    this.#resolve = resolve
    this.reject = reject
  }

  /** Whether the job's changes are part of the transaction. */
  get isKept(): boolean {
    return this.#isKept
  }

  get hasEffects(): boolean {
    return this.#effects.length > 0
  }

  keep(value: unknown, effects: readonly (() => void)[]): void {
    this.#isKept = true
    this.#result = value
    this.#effects = effects
  }

  drop(error: unknown): void {
    this.#isKept = false
    this.#result = error
    this.#effects = []
  }

  /** Call when the transaction is durable. */
  settle(): void {
    if (this.#isKept) this.#resolve(this.#result)
    else this.reject(this.#result)
  }

  runEffects(): void {
    for (const effect of this.#effects) runEffect(effect)
  }
}
