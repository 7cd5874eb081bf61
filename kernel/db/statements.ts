import type { Reader, Row, SqlValue } from './database.ts'

/** The part of better-sqlite3 that is used. MikroORM owns the handle; its package brings no types of its own. */
export interface NativeDatabase {
  prepare(sql: string): NativeStatement
}

export interface NativeStatement {
  run(...params: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...params: readonly SqlValue[]): unknown
  all(...params: readonly SqlValue[]): unknown[]
}

/** More distinct texts than this means that statements are built from values, which is a bug. */
const statementsMax = 1000

/** Keeps prepared statements by their text: preparing costs seven times a point look-up. */
export class StatementCache implements Reader {
  readonly #handle: NativeDatabase
  readonly #statements = new Map<string, NativeStatement>()

  constructor(handle: NativeDatabase) {
    this.#handle = handle
  }

  statement(sql: string): NativeStatement {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    if (this.#statements.size >= statementsMax) throw new Error(`more than ${statementsMax} distinct SQL texts; the latest is: ${sql}`)
    const made = this.#handle.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }

  get<R = Row>(sql: string, ...params: readonly SqlValue[]): R | undefined {
    return this.statement(sql).get(...params) as R | undefined
  }

  all<R = Row>(sql: string, ...params: readonly SqlValue[]): R[] {
    return this.statement(sql).all(...params) as R[]
  }

  /** Runs a statement without parameters or rows, such as COMMIT. */
  run(sql: string): void {
    this.statement(sql).run()
  }
}
