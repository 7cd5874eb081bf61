import type { Row, SqlValue, Tx } from './database.ts'
import type { StatementCache } from './statements.ts'

/** Runs the work with exclusive use of the writer connection. */
export type WriterTurn = <T>(work: () => T) => Promise<T>

interface Job {
  readonly run: (tx: Tx) => unknown
  readonly settle: (result: { readonly value: unknown } | { readonly error: unknown }) => void
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
  const queue: Job[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      // Yield first: writers of this tick still join the group, and a long queue never starves the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      await turn(() => commit(statements, queue.splice(0, jobsPerCommitMax)))
    }
    flushing = undefined
  }

  return {
    write<T>(run: (tx: Tx) => T): Promise<T> {
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

function commit(statements: StatementCache, jobs: readonly Job[]): void {
  const done: (() => void)[] = []
  const effects: (() => void)[] = []
  try {
    // IMMEDIATE: a lock is taken before the first read, so a commit can never fail on a snapshot that went stale.
    statements.run('BEGIN IMMEDIATE')
    for (const job of jobs) runJob(statements, job, { done, effects })
    statements.run('COMMIT')
  } catch (error) {
    rollBack(statements)
    for (const job of jobs) job.settle({ error })
    return
  }
  for (const tell of done) tell()
  for (const effect of effects) runEffect(effect)
}

/** The transaction is already durable; a failing effect must not stop other writes. */
function runEffect(effect: () => void): void {
  try {
    effect()
  } catch (error) {
    process.emitWarning(new Error('an effect of a committed transaction failed', { cause: error }))
  }
}

function runJob(statements: StatementCache, job: Job, after: { readonly done: (() => void)[]; readonly effects: (() => void)[] }): void {
  const effects: (() => void)[] = []
  statements.run('SAVEPOINT job')
  let value: unknown
  try {
    value = job.run(createTx(statements, effects))
    if (value instanceof Promise) throw new Error('a transaction job must be synchronous: nothing may be awaited while the writer is held')
  } catch (error) {
    if (!takeBack(statements)) throw error
    after.done.push(() => job.settle({ error }))
    return
  }
  statements.run('RELEASE job')
  after.done.push(() => job.settle({ value }))
  after.effects.push(...effects)
}

function takeBack(statements: StatementCache): boolean {
  try {
    statements.run('ROLLBACK TO job')
    statements.run('RELEASE job')
    return true
  } catch {
    // A full disk rolls back the whole transaction with its savepoints, so every job fails with this job's error.
    return false
  }
}

function createTx(statements: StatementCache, effects: (() => void)[]): Tx {
  return {
    run(sql: string, ...params: readonly SqlValue[]) {
      const { changes, lastInsertRowid } = statements.run(sql, ...params)
      return { changes, lastId: Number(lastInsertRowid) }
    },
    get: <R = Row>(sql: string, ...params: readonly SqlValue[]) => statements.get<R>(sql, ...params),
    all: <R = Row>(sql: string, ...params: readonly SqlValue[]) => statements.all<R>(sql, ...params),
    afterCommit: (effect) => void effects.push(effect),
  }
}

function rollBack(statements: StatementCache): void {
  try {
    statements.run('ROLLBACK')
  } catch {
    // The original failure may have ended the transaction already; report that one.
  }
}
