import { bindParams, type CompiledStatement, compileStatement } from '../compile-statement.ts'
import { nameFile } from '../database-error.ts'
import type { SqlValue, Statement } from '../statement.ts'

/** The part of better-sqlite3 that is used. MikroORM owns the handle; its package has no types. */
export interface NativeDatabase {
  prepare(sql: string): NativeStatement
}

export interface NativeStatement {
  run(...params: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...params: readonly SqlValue[]): unknown
  all(...params: readonly SqlValue[]): unknown[]
}

export type Method<R> = (native: NativeStatement, values: readonly SqlValue[]) => R

export const methods = {
  run: (native: NativeStatement, values: readonly SqlValue[]) => native.run(...values),
  get: (native: NativeStatement, values: readonly SqlValue[]) => native.get(...values),
  all: (native: NativeStatement, values: readonly SqlValue[]) => native.all(...values),
}

interface Prepared {
  readonly native: NativeStatement
  readonly compiled: CompiledStatement
}

/** Above this number, statements must have been built from values, which is a bug. */
export const statementsMax = 1000

/** Keeps prepared statements of one connection: preparing costs seven times a point look-up. Errors name the file. */
export class StatementCache {
  readonly #handle: NativeDatabase
  readonly #path: string
  readonly #prepared = new Map<Statement, Prepared>()

  constructor(handle: NativeDatabase, path: string) {
    this.#handle = handle
    this.#path = path
  }

  get size(): number {
    return this.#prepared.size
  }

  /** Runs the statement and throws its error. `run` is for statements without rows. */
  execute<R>(method: Method<R>, statement: Statement, params: unknown): R {
    try {
      const { native, compiled } = this.#prepare(statement)
      return method(native, bindParams(compiled, params ?? {}, 'sqlite'))
    } catch (error) {
      throw nameFile(error, this.#path)
    }
  }

  /** A statement without values and rows, such as COMMIT, prepared now. */
  command(sql: string): () => void {
    const native = this.#handle.prepare(sql)
    return () => {
      try {
        native.run()
      } catch (error) {
        throw nameFile(error, this.#path)
      }
    }
  }

  #prepare(statement: Statement): Prepared {
    const kept = this.#prepared.get(statement)
    if (kept) return kept
    const compiled = compileStatement(statement, 'sqlite')
    const { sql } = compiled
    if (this.#prepared.size >= statementsMax) throw new Error(`more than ${statementsMax} statements; the latest is: ${sql}`)
    const made = { native: this.#handle.prepare(sql), compiled }
    this.#prepared.set(statement, made)
    return made
  }
}
