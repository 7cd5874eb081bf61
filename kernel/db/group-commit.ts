import type { Tx } from './database.ts'
import { runEffect } from './effects.ts'
import { SqliteTx } from './sqlite-reader.ts'
import type { StatementCache } from './statements.ts'
import { createTurnGuard, type TurnGuard } from './turn-guard.ts'

/** Runs the work with exclusive use of the writer connection. */
export type WriterTurn = <T>(work: () => Promise<T>) => Promise<T>

interface Job {
  readonly run: (tx: Tx) => unknown
  readonly settle: (result: { readonly value: unknown } | { readonly error: unknown }) => void
}

interface Writer {
  readonly statements: StatementCache
  readonly guard: TurnGuard
}

/** What happens when the transaction is durable. */
interface After {
  readonly done: (() => void)[]
  readonly effects: (() => void)[]
}

/** Jobs in one transaction; bounds how long one commit blocks the event loop. */
const jobsPerCommitMax = 256

const transactionStatements = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK', 'SAVEPOINT job', 'ROLLBACK TO job', 'RELEASE job']

/**
 * Combines many small writes into one transaction and one fsync. Each job has its own savepoint, so a failing job is rolled back
 * alone. Promises resolve when the group is durable. `explain` maps an error to the one that callers get.
 */
export function createGroupCommit(statements: StatementCache, turn: WriterTurn, explain: (error: unknown) => unknown) {
  // Prepared first, because the transaction must end even when a job fails.
  for (const sql of transactionStatements) statements.prepare(sql)
  const writer: Writer = { statements, guard: createTurnGuard('a write job') }
  const queue: Job[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      // Yield first: writers of this tick still join the group, and a long queue never starves the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      await turn(() => commit(writer, queue.splice(0, jobsPerCommitMax)))
    }
    flushing = undefined
  }

  return {
    write<T>(run: (tx: Tx) => T | Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Error('the database is closed'))
      return new Promise<T>((resolve, reject) => {
        queue.push({ run, settle: (result) => ('error' in result ? reject(explain(result.error)) : resolve(result.value as T)) })
        flushing ??= flush()
      })
    },
    async close(): Promise<void> {
      closed = true
      await flushing
    },
  }
}

async function commit(writer: Writer, jobs: readonly Job[]): Promise<void> {
  const { statements } = writer
  const after: After = { done: [], effects: [] }
  try {
    // IMMEDIATE: a lock is taken before the first read, so a commit can never fail on a snapshot that went stale.
    statements.execute('run', 'BEGIN IMMEDIATE')
    for (const job of jobs) {
      const running = runJob(writer, job, after)
      // A synchronous job costs no turn of the microtask queue.
      if (running) await running
    }
    statements.execute('run', 'COMMIT')
  } catch (error) {
    rollBack(statements)
    for (const job of jobs) job.settle({ error })
    return
  }
  for (const tell of after.done) tell()
  for (const effect of after.effects) runEffect(effect)
}

function runJob({ statements, guard }: Writer, job: Job, after: After): Promise<void> | undefined {
  statements.execute('run', 'SAVEPOINT job')
  const tx = new SqliteTx(statements)
  const keep = (value: unknown) => {
    statements.execute('run', 'RELEASE job')
    after.done.push(() => job.settle({ value }))
    after.effects.push(...tx.effects)
  }
  const drop = (error: unknown) => {
    if (!takeBack(statements)) throw error
    after.done.push(() => job.settle({ error }))
  }
  let result: unknown
  try {
    result = tx.perform(job.run, guard)
  } catch (error) {
    drop(error)
    return undefined
  }
  if (result instanceof Promise) return result.then(keep, drop)
  keep(result)
  return undefined
}

function takeBack(statements: StatementCache): boolean {
  try {
    statements.execute('run', 'ROLLBACK TO job')
    statements.execute('run', 'RELEASE job')
    return true
  } catch {
    // A full disk rolls back the whole transaction with its savepoints, so every job fails with this job's error.
    return false
  }
}

function rollBack(statements: StatementCache): void {
  try {
    statements.execute('run', 'ROLLBACK')
  } catch {
    // The original failure may have ended the transaction already; report that one.
  }
}
