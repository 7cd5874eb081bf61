import { defineExtensionPoint } from '../extension-point.ts'
import { defineService } from '../service.ts'
import type { Migration } from './migration.ts'

export type SqlValue = string | number | bigint | null | Uint8Array
export type Row = Record<string, SqlValue>

/** Prepared statements over one connection. Only `-store.ts` files use them. Statements are kept, so build few distinct texts. */
export interface Reader {
  get<R = Row>(sql: string, ...params: readonly SqlValue[]): R | undefined
  all<R = Row>(sql: string, ...params: readonly SqlValue[]): R[]
}

/** A transaction. A job is synchronous, so nothing can be awaited while it is open. */
export interface Tx extends Reader {
  /** `changes`: rows touched; `lastId`: the row id of the last insert. */
  run(sql: string, ...params: readonly SqlValue[]): { readonly changes: number; readonly lastId: number }
  /** Runs once the transaction is durable; not at all when it rolls back. */
  afterCommit(effect: () => void): void
}

/** The service's database. All writes go through one connection and are committed in groups. */
export interface Database {
  /**
   * Runs the job inside the next group commit and resolves after it is durable (fsync).
   * A job that throws is rolled back alone and its error rejects the promise; the others of the group commit.
   * Rejects with `database_full` or `database_unwritable` (507) when the disk refuses the write.
   */
  write<T>(job: (tx: Tx) => T): Promise<T>
  /** Committed rows, on a connection of its own that never waits for a writer. */
  readonly read: Reader
  /** Resolves with the problem of the database's disk, such as `disk full`, or undefined. Rejects when the database does not answer. */
  ping(): Promise<string | undefined>
}

export const database = defineService<Database>('kernel.database')

/** Tables of one plugin. `load` is called only when the database is opened. */
export interface Schema {
  /** Prefix of the migration names, usually the plugin's id. */
  readonly name: string
  load(): Promise<{ readonly migrations: readonly Migration[] }>
}

export const dbSchemas = defineExtensionPoint<Schema>('db.schemas')
