import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../database.ts'
import { runEffect } from '../effects.ts'
import { type NativeClient, textQuery } from './native.ts'
import { isRetryable, isUnreachable, namePostgres } from './postgres-error.ts'
import type { PostgresHealth } from './postgres-health.ts'
import { type PostgresStatements, PostgresTx } from './postgres-reader.ts'
import type { WriterSession } from './session.ts'

interface Job {
  readonly run: (tx: Tx) => unknown
  readonly settle: (result: { readonly value: unknown } | { readonly error: unknown }) => void
}

interface WriterDeps {
  readonly session: WriterSession
  readonly statements: PostgresStatements
  readonly name: string
  readonly health: Pick<PostgresHealth, 'explain' | 'wrote'>
}

type Outcome = { readonly value: unknown; readonly effects: readonly (() => void)[] } | { readonly error: unknown }

/** Jobs in one transaction; bounds how long it holds row locks. */
const jobsPerCommitMax = 64
const attemptsMax = 5
const retryPauseMs = 20

/**
 * Runs jobs one after the other on one connection, several in a transaction, each with a savepoint, so that they share the fsync and see
 * each other's rows as on SQLite.
 */
export function createPostgresWriter(deps: WriterDeps) {
  const queue: Job[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      // Writers of this tick still join the transaction.
      await new Promise((resolve) => setImmediate(resolve))
      await commitGroup(deps, queue.splice(0, jobsPerCommitMax))
    }
    flushing = undefined
  }

  return {
    write<T>(run: (tx: Tx) => T | Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Error('the database is closed'))
      return new Promise<T>((resolve, reject) => {
        queue.push({ run, settle: (result) => ('error' in result ? reject(result.error) : resolve(result.value as T)) })
        flushing ??= flush()
      })
    },
    async close(): Promise<void> {
      closed = true
      await flushing
      deps.session.close()
    },
  }
}

async function commitGroup(deps: WriterDeps, jobs: readonly Job[]): Promise<void> {
  const outcomes = await attempt(deps, jobs)
  if (outcomes === 'conflict') {
    // One by one, so that a conflict of one job repeats no other.
    for (const job of jobs) await commitAlone(deps, job)
    return
  }
  settle(deps, jobs, outcomes)
}

async function commitAlone(deps: WriterDeps, job: Job): Promise<void> {
  for (let tries = 1; ; tries++) {
    const outcomes = await attempt(deps, [job], tries === attemptsMax)
    if (outcomes !== 'conflict') return settle(deps, [job], outcomes)
    await pause(Math.random() * retryPauseMs * tries)
  }
}

function settle({ health }: WriterDeps, jobs: readonly Job[], outcomes: readonly Outcome[]): void {
  for (const [at, outcome] of outcomes.entries()) {
    if ('error' in outcome) {
      jobs[at]?.settle({ error: health.explain(outcome.error) })
      continue
    }
    health.wrote()
    jobs[at]?.settle(outcome)
    for (const effect of outcome.effects) runEffect(effect)
  }
}

/** One transaction with these jobs. A conflict rolls all of them back, unless it is the last attempt. */
async function attempt(deps: WriterDeps, jobs: readonly Job[], isLast = false): Promise<readonly Outcome[] | 'conflict'> {
  const failed = (error: unknown) => jobs.map(() => ({ error }))
  let client: NativeClient
  try {
    client = await begin(deps)
  } catch (error) {
    return failed(error)
  }
  const send = (text: string) => named(deps, client.query(textQuery(text)))
  try {
    const outcomes: Outcome[] = []
    for (const [at, job] of jobs.entries()) {
      if (at > 0) await send('release savepoint job; savepoint job')
      outcomes.push(await runJob(deps, client, job))
    }
    // The server answers the commit of an aborted transaction with a rollback, without an error.
    const { command } = await send('commit')
    if (command !== 'COMMIT') throw new Error(`the database ${deps.name} rolled back a transaction instead of committing it (${command})`)
    return outcomes
  } catch (error) {
    // Without an answer the state of the connection is unknown.
    if (isUnreachable(error)) deps.session.drop(client)
    else await send('rollback').catch(() => deps.session.drop(client))
    return isRetryable(error) && !isLast ? 'conflict' : failed(error)
  }
}

/** Begins a transaction. A session that was lost meanwhile is replaced once: nothing of the jobs was sent. */
async function begin(deps: WriterDeps, canReplace = true): Promise<NativeClient> {
  const client = await deps.session.client()
  try {
    await named(deps, client.query(textQuery('begin; savepoint job')))
    return client
  } catch (error) {
    deps.session.drop(client)
    if (!canReplace || !isUnreachable(error)) throw error
    return begin(deps, false)
  }
}

/** Throws what the whole transaction cannot survive. */
async function runJob(deps: WriterDeps, client: NativeClient, job: Job): Promise<Outcome> {
  const tx = new PostgresTx(deps.statements, (statement) => named(deps, client.query(statement)))
  try {
    return { value: await tx.perform(job.run, 'a write job'), effects: tx.effects }
  } catch (error) {
    if (isRetryable(error) || isUnreachable(error)) throw error
    await named(deps, client.query(textQuery('rollback to savepoint job')))
    return { error }
  }
}

const named = <T>({ name }: WriterDeps, answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    throw namePostgres(error, name)
  })
