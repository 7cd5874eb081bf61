import { setTimeout as pause } from 'node:timers/promises'
import { markNotWritten } from '../database-error.ts'
import { createJobQueue, type Job } from '../job-queue.ts'
import { LostCommit, type Transaction } from './lost-commit.ts'
import { lastRow, type NativeClient, textQuery } from './native.ts'
import { isRetryable, isUnreachable, throwNamed } from './postgres-error.ts'
import type { PostgresHealth } from './postgres-health.ts'
import { type PostgresStatements, PostgresTx } from './postgres-reader.ts'
import { type BeginRow, beginText, type WriterSession } from './session.ts'

interface WriterOptions {
  readonly session: WriterSession
  readonly statements: PostgresStatements
  readonly name: string
  readonly health: Pick<PostgresHealth, 'explain' | 'wrote'>
}

interface WriterDeps extends WriterOptions {
  readonly lostCommit: LostCommit
}

/** Bounds how long one transaction holds row locks. */
const rowsPerCommitMax = 64
/** Pause between empty transactions, with which a process that has nothing to write finds that another one took the database. */
const proofMs = 2000
const attemptsMax = 5
const retryPauseMs = 20

/**
 * Runs jobs one after the other on one connection, several in a transaction, each with a savepoint, so that they share the fsync and see
 * each other's rows as on SQLite.
 */
export function createPostgresWriter(options: WriterOptions) {
  const lostCommit = new LostCommit({ ...options, settle: (jobs) => settleAll(options, jobs) })
  const deps: WriterDeps = { ...options, lostCommit }
  const { write, close } = createJobQueue({
    rowsPerCommitMax,
    explain: (error) => deps.health.explain(error),
    commit: (take) => commitGroup(deps, take()),
  })
  // Rejections are in the log and in the health.
  const watch = setInterval(() => void write(() => undefined).catch(() => undefined), proofMs).unref()
  return {
    write,
    async close(): Promise<void> {
      clearInterval(watch)
      await close()
      await deps.session.close()
    },
  }
}

async function commitGroup(deps: WriterDeps, jobs: readonly Job[]): Promise<void> {
  if ((await attempt(deps, jobs)) === 'settled') return
  // One by one, so that a conflict of one job repeats no other.
  for (const job of jobs) await commitAlone(deps, job)
}

async function commitAlone(deps: WriterDeps, job: Job): Promise<void> {
  for (let tries = 1; (await attempt(deps, [job], tries === attemptsMax)) === 'conflict'; tries++) {
    await pause(Math.random() * retryPauseMs * tries)
  }
}

/** One transaction with these jobs. A conflict rolls all of them back, unless it is the last attempt. */
async function attempt(deps: WriterDeps, jobs: readonly Job[], isLast = false): Promise<'settled' | 'conflict'> {
  const { session, name } = deps
  let transaction: Transaction
  try {
    transaction = await begin(deps)
  } catch (error) {
    return rejectAll(jobs, error)
  }
  const { client } = transaction
  const send = (text: string) => named(deps, client.query(textQuery(text)))
  let isCommitting = false
  try {
    for (const [at, job] of jobs.entries()) {
      if (at > 0) await send('release savepoint job; savepoint job')
      await runJob(deps, client, job)
    }
    isCommitting = true
    // The server answers the commit of an aborted transaction with a rollback, without an error.
    const { command } = await send('commit')
    if (command !== 'COMMIT') throw new Error(`the database ${name} rolled back a transaction instead of committing it (${command})`)
  } catch (error) {
    // The state of the connection is unknown without an answer.
    if (isUnreachable(error)) session.drop(client)
    else await send('rollback').catch(() => session.drop(client))
    if (isCommitting && isUnreachable(error)) {
      await deps.lostCommit.report(transaction, jobs, error)
      return 'settled'
    }
    return isRetryable(error) && !isLast ? 'conflict' : rejectAll(jobs, error)
  }
  return settleAll(deps, jobs)
}

function settleAll({ health }: WriterOptions, jobs: readonly Job[]): 'settled' {
  for (const job of jobs) {
    job.settle()
    if (job.isKept) health.wrote()
    job.runEffects()
  }
  return 'settled'
}

/** Rejects the jobs of a transaction that is certainly not committed. */
function rejectAll(jobs: readonly Job[], error: unknown): 'settled' {
  markNotWritten(error)
  for (const job of jobs) job.reject(error)
  return 'settled'
}

/** Begins a transaction. A session that was lost since the last one is replaced once: no job has sent a statement yet. */
async function begin(deps: WriterDeps, canReplace = true): Promise<Transaction> {
  const { session, lostCommit } = deps
  const client = await session.client()
  try {
    await lostCommit.settle(client)
    const row = lastRow<BeginRow>(await named(deps, client.query(textQuery(beginText))))
    if (!row) throw new Error('the database server did not tell the number of a transaction')
    session.prove(row)
    return { client, id: row.id, server: session.server }
  } catch (error) {
    session.drop(client)
    if (!canReplace || !isUnreachable(error)) throw error
    return begin(deps, false)
  }
}

/** Throws what the whole transaction cannot survive. */
async function runJob(deps: WriterDeps, client: NativeClient, job: Job): Promise<void> {
  const tx = new PostgresTx(deps.statements, (statement) => named(deps, client.query(statement)))
  try {
    job.keep(await tx.perform(job.run, 'a write job'), tx.effects)
  } catch (error) {
    if (isRetryable(error) || isUnreachable(error)) throw error
    await named(deps, client.query(textQuery('rollback to savepoint job')))
    job.drop(error)
  }
}

const named = <T>({ name }: WriterDeps, answer: Promise<T>): Promise<T> => answer.catch(throwNamed(name))
