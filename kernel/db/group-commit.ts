import type { Tx } from './database.ts'
import { runEffect } from './effects.ts'
import { SqliteTx } from './sqlite-reader.ts'
import type { StatementCache } from './statements.ts'
import { createTurnGuard } from './turn-guard.ts'

/** Runs the work with exclusive use of the writer connection. */
export type WriterTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Jobs in one transaction; bounds how long one commit blocks the event loop. */
const jobsPerCommitMax = 256

/**
 * Combines many small writes into one transaction and one fsync. Each job has its own savepoint, so a failing job is rolled back
 * alone. Promises resolve when the group is durable. `explain` maps an error to the one that callers get.
 */
export function createGroupCommit(statements: StatementCache, turn: WriterTurn, explain: (error: unknown) => unknown) {
  const commit = createCommit(statements)
  const queue: Job[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      // Yield first: writers of this tick still join the group, and a long queue never starves the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      await turn(() => commit(queue.splice(0, jobsPerCommitMax)))
    }
    flushing = undefined
  }

  return {
    write<T>(run: (tx: Tx) => T | Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Error('the database is closed'))
      return new Promise<T>((resolve, reject) => {
        queue.push(new Job(run as (tx: Tx) => unknown, resolve as (value: unknown) => void, (error) => reject(explain(error))))
        flushing ??= flush()
      })
    },
    async close(): Promise<void> {
      closed = true
      await flushing
    },
  }
}

class Job {
  readonly run: (tx: Tx) => unknown
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

  keep(value: unknown, effects: readonly (() => void)[]): void {
    this.#isKept = true
    this.#result = value
    this.#effects = effects
  }

  drop(error: unknown): void {
    this.#result = error
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

function createCommit(statements: StatementCache): (jobs: readonly Job[]) => Promise<void> {
  // Prepared first, because the transaction must end even when a job fails. IMMEDIATE: a lock is taken before the first read, so a
  // commit can never fail on a snapshot that went stale.
  const begin = statements.command('BEGIN IMMEDIATE')
  const end = statements.command('COMMIT')
  const rollBack = statements.command('ROLLBACK')
  const runJob = createJobRun(statements)

  return async (jobs) => {
    try {
      begin()
      for (const job of jobs) {
        const running = runJob(job)
        // A synchronous job costs no turn of the microtask queue.
        if (running) await running
      }
      end()
    } catch (error) {
      // The failure may have ended the transaction already.
      succeeds(rollBack)
      for (const job of jobs) job.reject(error)
      return
    }
    for (const job of jobs) job.settle()
    for (const job of jobs) job.runEffects()
  }
}

function createJobRun(statements: StatementCache): (job: Job) => Promise<void> | undefined {
  const guard = createTurnGuard('a write job')
  const save = statements.command('SAVEPOINT job')
  const rollBack = statements.command('ROLLBACK TO job')
  const release = statements.command('RELEASE job')
  const takeBack = () => {
    rollBack()
    release()
  }

  function finish(job: Job, tx: SqliteTx, value: unknown): void {
    const failure = tx.end()
    if (failure) {
      undo(job, failure)
      return
    }
    release()
    job.keep(value, tx.effects)
  }

  function fail(job: Job, tx: SqliteTx, error: unknown): void {
    tx.end()
    undo(job, error)
  }

  function undo(job: Job, error: unknown): void {
    // A full disk rolls back the whole transaction with its savepoints, so every job fails with this job's error.
    if (!succeeds(takeBack)) throw error
    job.drop(error)
  }

  return (job) => {
    save()
    const tx = new SqliteTx(statements)
    let result: unknown
    try {
      result = job.run(tx)
    } catch (error) {
      fail(job, tx, error)
      return undefined
    }
    if (result instanceof Promise) {
      return guard(result).then(
        (value) => finish(job, tx, value),
        (error) => fail(job, tx, error),
      )
    }
    finish(job, tx, result)
    return undefined
  }
}

function succeeds(command: () => void): boolean {
  try {
    command()
    return true
  } catch {
    return false
  }
}
