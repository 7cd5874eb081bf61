import type { Reader, Tx } from './database.ts'
import { type Method, methods, type Source, type StatementCache } from './statements.ts'

/** Runs each statement when it is called; the promise of a `Statement` is settled already. */
export class SqliteReader implements Reader {
  protected readonly statements: StatementCache

  constructor(statements: StatementCache) {
    this.statements = statements
  }

  get(source: Source, ...params: readonly unknown[]): never {
    return this.answer(methods.get, source, params)
  }

  all(source: Source, ...params: readonly unknown[]): never {
    return this.answer(methods.all, source, params)
  }

  /** The type of the result is that of the overload. */
  protected answer(method: Method<unknown>, source: Source, params: readonly unknown[]): never {
    if (typeof source === 'string') return this.execute(method, source, params) as never
    try {
      return Promise.resolve(this.execute(method, source, params)) as never
    } catch (error) {
      return Promise.reject(error) as never
    }
  }

  protected execute(method: Method<unknown>, source: Source, params: readonly unknown[]): unknown {
    return this.statements.execute(method, source, params)
  }
}

const run: Method<unknown> = (native, values) => {
  const { changes, lastInsertRowid } = methods.run(native, values)
  return { changes, lastId: Number(lastInsertRowid) }
}

/** One job's part of a transaction. */
export class SqliteTx extends SqliteReader implements Tx {
  readonly effects: (() => void)[] = []
  #failure: Error | undefined
  #isEnded = false

  run(source: Source, ...params: readonly unknown[]): never {
    return this.answer(run, source, params)
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect)
  }

  /** Refuses later calls. Returns the error of a failed statement: the job must not be committed without it. */
  end(): Error | undefined {
    this.#isEnded = true
    return this.#failure
  }

  protected override execute(method: Method<unknown>, source: Source, params: readonly unknown[]): unknown {
    if (this.#isEnded) throw new Error('the transaction has ended: its tx or reader was used after the job finished or was stopped')
    if (this.#failure) throw this.#failure
    try {
      return this.statements.execute(method, source, params)
    } catch (error) {
      // PostgreSQL refuses everything after a failed statement, so a job that relies on continuing would work only here. Without the
      // transaction, SQLite would commit the next statement by itself.
      if (typeof source !== 'string' || !this.statements.inTransaction) this.#failure = error as Error
      throw error
    }
  }
}
