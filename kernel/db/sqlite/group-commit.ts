/** @walk put 14: commits it together with the jobs of other requests; the answer follows the commit */
import { markNotWritten } from '../database-error.ts'
import { createJobQueue, type Job } from '../job-queue.ts'
import { createTurnGuard } from '../turn-guard.ts'
import { SqliteTx } from './sqlite-reader.ts'
import type { StatementCache } from './statements.ts'

/** Runs the work with exclusive use of the writer connection. */
export type WriterTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Bounds how long one commit blocks the event loop. */
const rowsPerCommitMax = 256

/**
 * Combines many small writes into one transaction and one fsync. Each job has its own savepoint, so a failing job is rolled back
 * alone. Promises resolve when the group is durable. `explain` maps an error to the one that callers get.
 */
export function createGroupCommit(statements: StatementCache, turn: WriterTurn, explain: (error: unknown) => unknown) {
  const commit = createCommit(statements)
  let count = 0
  const onEnd = () => {
    count += 1
  }
  const jobs = createJobQueue({
    rowsPerCommitMax,
    explain,
    commit: (take) => turn(() => commit(take(), onEnd)),
  })
  return { ...jobs, count: () => count }
}

/** `onEnd`: called when the transaction may be durable, before its jobs are answered. */
function createCommit(statements: StatementCache): (jobs: readonly Job[], onEnd: () => void) => Promise<void> {
  // Prepared first, because the transaction must end even when a job fails. IMMEDIATE: a lock is taken before the first read, so a
  // commit can never fail on a snapshot that went stale.
  const begin = statements.command('BEGIN IMMEDIATE')
  const end = statements.command('COMMIT')
  const rollBack = statements.command('ROLLBACK')
  const runJob = createJobRun(statements)

  function giveUp(jobs: readonly Job[], error: unknown): void {
    // The failure may have ended the transaction already.
    succeeds(rollBack)
    for (const job of jobs) job.reject(error)
  }

  return async (jobs, onEnd) => {
    let isCommitting = false
    try {
      begin()
      for (const job of jobs) {
        const running = runJob(job)
        // A synchronous job costs no turn of the microtask queue.
        if (running) await running
      }
      isCommitting = true
      end()
      onEnd()
    } catch (error) {
      onEnd()
      giveUp(jobs, isCommitting ? error : markNotWritten(error))
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
