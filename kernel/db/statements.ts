import type { Reader, Row, SqlValue } from './database.ts'
import { nameFile } from './database-error.ts'

/** The part of better-sqlite3 that is used. MikroORM owns the handle; its package has no types. */
export interface NativeDatabase {
  prepare(sql: string): NativeStatement
}

interface NativeStatement {
  run(...params: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...params: readonly SqlValue[]): unknown
  all(...params: readonly SqlValue[]): unknown[]
}

/** Above this number, statements must have been built from values, which is a bug. */
const statementsMax = 1000

/** Keeps prepared statements by their text: preparing costs seven times a point look-up. Errors name the file. */
export class StatementCache implements Reader {
  readonly #handle: NativeDatabase
  readonly #path: string
  readonly #statements = new Map<string, NativeStatement>()

  constructor(handle: NativeDatabase, path: string) {
    this.#handle = handle
    this.#path = path
  }

  prepare(sql: string): void {
    this.#statement(sql)
  }

  get<R = Row>(sql: string, ...params: readonly SqlValue[]): R | undefined {
    try {
      return this.#statement(sql).get(...params) as R | undefined
    } catch (error) {
      throw nameFile(error, this.#path)
    }
  }

  all<R = Row>(sql: string, ...params: readonly SqlValue[]): R[] {
    try {
      return this.#statement(sql).all(...params) as R[]
    } catch (error) {
      throw nameFile(error, this.#path)
    }
  }

  /** Runs a statement without rows, such as COMMIT. */
  run(sql: string, ...params: readonly SqlValue[]): ReturnType<NativeStatement['run']> {
    try {
      return this.#statement(sql).run(...params)
    } catch (error) {
      throw nameFile(error, this.#path)
    }
  }

  #statement(sql: string): NativeStatement {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    if (this.#statements.size >= statementsMax) throw new Error(`more than ${statementsMax} distinct SQL texts; the latest is: ${sql}`)
    const made = this.#handle.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}
