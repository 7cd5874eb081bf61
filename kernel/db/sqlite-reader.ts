import type { Reader, Tx } from './database.ts'
import type { NativeStatement, Source, StatementCache } from './statements.ts'

type Method = keyof NativeStatement

/** Runs each statement when it is called; the promise of a `Statement` is settled already. */
export class SqliteReader implements Reader {
  protected readonly statements: StatementCache

  constructor(statements: StatementCache) {
    this.statements = statements
  }

  get(source: Source, ...params: readonly unknown[]): never {
    return this.answer('get', source, params)
  }

  all(source: Source, ...params: readonly unknown[]): never {
    return this.answer('all', source, params)
  }

  /** The type of the result is that of the overload. */
  protected answer(method: Method, source: Source, params: readonly unknown[]): never {
    if (typeof source === 'string') return this.execute(method, source, params) as never
    try {
      return Promise.resolve(this.execute(method, source, params)) as never
    } catch (error) {
      return Promise.reject(error) as never
    }
  }

  protected execute(method: Method, source: Source, params: readonly unknown[]): unknown {
    return this.statements.execute(method, source, params)
  }
}

/** One job's part of a transaction. */
export class SqliteTx extends SqliteReader implements Tx {
  readonly effects: (() => void)[] = []
  #failure: Error | undefined
  #isEnded = false

  run(source: Source, ...params: readonly unknown[]): never {
    return this.answer('run', source, params)
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect)
  }

  /** Runs the job and refuses calls after its end. A failed statement fails the job, because the job must not be committed without it. */
  perform<T>(job: (tx: this) => T | Promise<T>, guard: (work: Promise<T>) => Promise<T>): T | Promise<T> {
    let result: T | Promise<T>
    try {
      result = job(this)
    } catch (error) {
      this.#isEnded = true
      throw error
    }
    if (result instanceof Promise) return this.#finish(guard(result))
    return this.#end(result)
  }

  async #finish<T>(result: Promise<T>): Promise<T> {
    try {
      return this.#end(await result)
    } finally {
      this.#isEnded = true
    }
  }

  #end<T>(value: T): T {
    this.#isEnded = true
    if (this.#failure) throw this.#failure
    return value
  }

  protected override execute(method: Method, source: Source, params: readonly unknown[]): unknown {
    if (this.#isEnded) throw new Error('the transaction has ended: its tx or reader was used after the job finished or was stopped')
    if (this.#failure) throw this.#failure
    try {
      const result = super.execute(method, source, params)
      if (method !== 'run') return result
      const { changes, lastInsertRowid } = result as ReturnType<NativeStatement['run']>
      return { changes, lastId: Number(lastInsertRowid) }
    } catch (error) {
      // PostgreSQL refuses everything after a failed statement, so a job that relies on continuing would work only here. Without the
      // transaction, SQLite would commit the next statement by itself.
      if (typeof source !== 'string' || !this.statements.inTransaction) this.#failure = error as Error
      throw error
    }
  }
}
