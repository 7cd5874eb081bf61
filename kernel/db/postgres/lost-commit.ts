import { DatabaseError, markNotWritten } from '../database-error.ts'
import type { Job } from '../job-queue.ts'
import { lastRow, type NativeClient, textQuery } from './native.ts'
import { isUnreachable, namePostgres, refused } from './postgres-error.ts'
import type { WriterSession } from './session.ts'

export interface Transaction {
  readonly client: NativeClient
  /** The server's number of it, with its epoch. */
  readonly id: string
  /** See `Backend.server`. */
  readonly server: string | undefined
}

interface Lost {
  readonly transaction: Transaction
  readonly jobs: readonly Job[]
  readonly error: unknown
  /** The callers have their answer, so that only effects are left to run. */
  isAnswered: boolean
}

interface LostCommitDeps {
  readonly session: Pick<WriterSession, 'client' | 'drop' | 'server' | 'end'>
  readonly name: string
  readonly settle: (jobs: readonly Job[]) => void
}

/** SQLSTATE of a number that the server has not given yet. */
const invalidNumber = '22023'
const findStatus = 'select pg_xact_status($1::text::xid8) as status'

/**
 * The commit whose answer was lost, at most one, for the next transaction waits until the server told its outcome. The next session
 * holds the lock, so the old one has ended and the outcome is final.
 */
export class LostCommit {
  readonly #deps: LostCommitDeps
  #lost: Lost | undefined

  constructor(deps: LostCommitDeps) {
    this.#deps = deps
  }

  /** Answers the jobs: by the outcome, or with the error when the server cannot tell it now. Then their effects may follow later. */
  async report(transaction: Transaction, jobs: readonly Job[], error: unknown): Promise<void> {
    const lost: Lost = { transaction, jobs, error, isAnswered: false }
    this.#lost = lost
    try {
      await this.settle(await this.#deps.session.client())
    } catch {
      // The jobs get the first error, and the next transaction looks again.
      reject(jobs, error)
      lost.isAnswered = true
    }
  }

  /** Call before each transaction. Throws when the server does not answer, or cannot know what it did before a crash. */
  async settle(client: NativeClient): Promise<void> {
    const lost = this.#lost
    if (!lost) return
    const outcome = await this.#outcomeOf(lost.transaction, client)
    this.#lost = undefined
    if (lost.isAnswered) {
      if (outcome === 'committed') for (const job of lost.jobs) job.runEffects()
    } else if (outcome === 'committed') this.#deps.settle(lost.jobs)
    else reject(lost.jobs, outcome === 'aborted' ? markNotWritten(lost.error) : lost.error)
    // It is not known which rows the effects would follow.
    if (outcome === 'unknown' && lost.jobs.some((job) => job.hasEffects)) throw this.#deps.session.end(unknownOutcome(this.#deps.name))
  }

  async #outcomeOf({ id, server }: Transaction, client: NativeClient): Promise<'committed' | 'aborted' | 'unknown'> {
    const { session, name } = this.#deps
    try {
      const status = lastRow<{ readonly status: string | null }>(await client.query({ ...textQuery(findStatus), values: [id] }))?.status
      if (status === 'aborted') return status
      // After a restart the number may be that of another transaction. One that the server lost was not committed.
      return status === 'committed' && session.server === server ? status : 'unknown'
    } catch (error) {
      const shown = namePostgres(error, name)
      // The server lost the transaction, and gave its number to no other.
      if (shown instanceof DatabaseError && shown.code === invalidNumber) return 'aborted'
      if (isUnreachable(shown)) session.drop(client)
      throw shown
    }
  }
}

const unknownOutcome = (name: string): Error =>
  refused(
    name,
    `the server of the database ${name} restarted during a commit and cannot tell whether it was made, so that what this svc keeps in memory ` +
      'may be wrong; restart this svc',
  )

function reject(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}
