import { bindParams, type CompiledStatement, compileStatement } from './compile-statement.ts'
import type { SqlValue } from './database.ts'
import { nameFile } from './database-error.ts'
import type { Statement } from './statement.ts'

/** The part of better-sqlite3 that is used. MikroORM owns the handle; its package has no types. */
export interface NativeDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): NativeStatement
}

export interface NativeStatement {
  run(...params: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...params: readonly SqlValue[]): unknown
  all(...params: readonly SqlValue[]): unknown[]
}

/** An SQL text with positional values, or a statement with an object of named ones. */
export type Source = string | Statement

interface Prepared {
  readonly native: NativeStatement
  /** Undefined for a text. */
  readonly compiled: CompiledStatement | undefined
}

/** Above this number, statements must have been built from values, which is a bug. */
const statementsMax = 1000

/** Keeps prepared statements of one connection: preparing costs seven times a point look-up. Errors name the file. */
export class StatementCache {
  readonly #handle: NativeDatabase
  readonly #path: string
  readonly #prepared = new Map<Source, Prepared>()

  constructor(handle: NativeDatabase, path: string) {
    this.#handle = handle
    this.#path = path
  }

  /** False after an error that ended the whole transaction, such as a full disk. */
  get inTransaction(): boolean {
    return this.#handle.inTransaction
  }

  /** Runs the statement and throws its error. `run` is for statements without rows. */
  execute<M extends keyof NativeStatement>(method: M, source: Source, params: readonly unknown[] = []): ReturnType<NativeStatement[M]> {
    try {
      const { native, compiled } = this.#prepare(source)
      const values = compiled ? bindParams(compiled, params[0] ?? {}, 'sqlite') : (params as SqlValue[])
      return native[method](...values) as ReturnType<NativeStatement[M]>
    } catch (error) {
      throw nameFile(error, this.#path)
    }
  }

  prepare(source: Source): void {
    this.#prepare(source)
  }

  #prepare(source: Source): Prepared {
    const kept = this.#prepared.get(source)
    if (kept) return kept
    const compiled = typeof source === 'string' ? undefined : compileStatement(source, 'sqlite')
    const sql = compiled?.sql ?? (source as string)
    if (this.#prepared.size >= statementsMax) throw new Error(`more than ${statementsMax} distinct SQL texts; the latest is: ${sql}`)
    const made = { native: this.#handle.prepare(sql), compiled }
    this.#prepared.set(source, made)
    return made
  }
}
