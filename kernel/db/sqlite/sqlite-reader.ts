import type { Reader, Tx } from '../database.ts'
import type { Statement } from '../statement.ts'
import { type Method, methods, type StatementCache } from './statements.ts'

/** Runs each statement when it is called; the promise of a `Statement` is settled already. */
export class SqliteReader implements Reader {
  protected readonly statements: StatementCache

  constructor(statements: StatementCache) {
    this.statements = statements
  }

  get(statement: Statement, params?: unknown): never {
    return this.answer(methods.get, statement, params)
  }

  all(statement: Statement, params?: unknown): never {
    return this.answer(methods.all, statement, params)
  }

  /** `Reader` has the types of the results. */
  protected answer(method: Method<unknown>, statement: Statement, params: unknown): never {
    try {
      return Promise.resolve(this.execute(method, statement, params)) as never
    } catch (error) {
      return Promise.reject(error) as never
    }
  }

  protected execute(method: Method<unknown>, statement: Statement, params: unknown): unknown {
    return this.statements.execute(method, statement, params)
  }
}

/** One job's part of a transaction. */
export class SqliteTx extends SqliteReader implements Tx {
  readonly effects: (() => void)[] = []
  #failure: Error | undefined
  #isEnded = false

  run(statement: Statement, params?: unknown): never {
    return this.answer(methods.run, statement, params)
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect)
  }

  /** Refuses later calls. Returns the error of a failed statement: the job must not be committed without it. */
  end(): Error | undefined {
    this.#isEnded = true
    return this.#failure
  }

  protected override execute(method: Method<unknown>, statement: Statement, params: unknown): unknown {
    if (this.#isEnded) throw new Error('the transaction has ended: its tx or reader was used after the job finished or was stopped')
    if (this.#failure) throw this.#failure
    try {
      return this.statements.execute(method, statement, params)
    } catch (error) {
      // PostgreSQL refuses everything after a failed statement, so a job that relies on continuing would work only here. After a full disk
      // there is no transaction: SQLite would commit the next statement by itself.
      this.#failure = error as Error
      throw error
    }
  }
}
