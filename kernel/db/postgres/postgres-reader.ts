import { bindParams, type CompiledStatement, compileStatement } from '../compile-statement.ts'
import type { Reader, Tx } from '../database.ts'
import type { Statement } from '../statement.ts'
import { foreignAwait } from '../turn-guard.ts'
import { answerMs, type NativeQuery, type NativeResult } from './native.ts'

/** Sends one query; rejects with errors that name the database. */
export type Send = (query: NativeQuery) => Promise<NativeResult>

/** Above this number, statements must have been built from values, which is a bug. */
const statementsMax = 1000

/** Statements by the names under which connections keep them prepared. */
export class PostgresStatements {
  readonly #kept = new Map<Statement, { readonly name: string; readonly compiled: CompiledStatement }>()

  queryOf(statement: Statement, params: unknown): NativeQuery {
    const { name, compiled } = this.#kept.get(statement) ?? this.#keep(statement)
    return { name, text: compiled.sql, values: bindParams(compiled, params ?? {}, 'postgres'), query_timeout: answerMs }
  }

  #keep(statement: Statement) {
    const compiled = compileStatement(statement, 'postgres')
    if (this.#kept.size >= statementsMax) throw new Error(`more than ${statementsMax} statements; the latest is: ${compiled.sql}`)
    const kept = { name: `svc_${this.#kept.size}`, compiled }
    this.#kept.set(statement, kept)
    return kept
  }
}

export class PostgresReader implements Reader {
  readonly #statements: PostgresStatements
  readonly #send: Send

  constructor(statements: PostgresStatements, send: Send) {
    this.#statements = statements
    this.#send = send
  }

  get(statement: Statement, params?: unknown): never {
    return this.pick(statement, params, ({ rows }) => rows[0])
  }

  all(statement: Statement, params?: unknown): never {
    return this.pick(statement, params, ({ rows }) => rows)
  }

  protected pick(statement: Statement, params: unknown, from: (answer: NativeResult) => unknown): never {
    return this.answer(statement, params).then(from) as never
  }

  protected async answer(statement: Statement, params: unknown): Promise<NativeResult> {
    return this.#send(this.#statements.queryOf(statement, params))
  }
}

/** One job's part of a transaction, or a snapshot. */
export class PostgresTx extends PostgresReader implements Tx {
  readonly effects: (() => void)[] = []
  #inFlight = 0
  #last: Promise<unknown> = Promise.resolve()
  #failure: Error | undefined
  #isEnded = false
  #stop: () => void = () => {}

  run(statement: Statement, params?: unknown): never {
    return this.pick(statement, params, ({ rowCount }) => ({ changes: rowCount ?? 0 }))
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect)
  }

  /** A failed statement fails its job in `perform`, so a promise that the job did not await must not end the process as unhandled. */
  protected override pick(statement: Statement, params: unknown, from: (answer: NativeResult) => unknown): never {
    const picked: Promise<unknown> = super.pick(statement, params, from)
    picked.catch(() => {})
    return picked as never
  }

  /**
   * Runs the job and refuses calls after its end. A failed statement fails the job. Ends when no statement is in flight: none may reach
   * the server after the job's savepoint or its connection was given up. `what` names the job in errors.
   */
  async perform<T>(job: (tx: this) => T | Promise<T>, what: string): Promise<T> {
    try {
      const value = await new Promise<T>((resolve, reject) => {
        this.#stop = () => reject(foreignAwait(what))
        new Promise<T>((settle) => settle(job(this))).then(resolve, reject)
        this.#watch()
      })
      if (this.#inFlight > 0) throw new Error(`${what} ended before its statements: await each of them`)
      if (this.#failure) throw this.#failure
      return value
    } finally {
      this.#isEnded = true
      await this.#last
    }
  }

  protected override async answer(statement: Statement, params: unknown): Promise<NativeResult> {
    this.#refuseLate()
    this.#inFlight++
    const answer = this.#last.then(() => {
      // The statement before this one may have failed, and the job may have ended.
      this.#refuseLate()
      return super.answer(statement, params)
    })
    this.#last = answer.catch((error) => {
      this.#failure ??= error
    })
    try {
      return await answer
    } finally {
      this.#inFlight--
      this.#watch()
    }
  }

  #refuseLate(): void {
    if (this.#failure) throw this.#failure
    if (this.#isEnded) throw new Error('the transaction has ended: its tx or reader was used after the job finished or was stopped')
  }

  /** Stops the job when it waits although no statement is in flight. Settled promises are followed before nextTick. */
  #watch(): void {
    if (this.#inFlight > 0) return
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#inFlight === 0 && !this.#isEnded) this.#stop()
      }),
    )
  }
}
