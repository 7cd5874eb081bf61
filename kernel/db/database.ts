/**
 * @recipe a table
 * Write a numbered migration (never edit one that was released) with `createTable`, or `rebuildTable` where SQLite must change one, and
 * `createTrigger`; an entity in `<noun>-entity.ts`, contributed through `entities` of `dbSchemas` and added to the plugin's `tables.ts`;
 * functions in a `-store.ts` file that use `statement` from it; see *Statements and transactions*. A foreign key needs an index that
 * begins with its column, if rows of the other table are ever deleted. The entity of another plugin's table comes from its `entities.ts`.
 */
import type { EntitySchema } from '@mikro-orm/core'
import { defineExtensionPoint } from '../core/extension-point.ts'
import { defineService } from '../core/service.ts'
import type { Migration } from './migration.ts'
import type { Statement } from './statement.ts'

type ParamsArgument<P> = Record<never, never> extends P ? [params?: P] : [params: P]

/** Runs statements over one connection; only `-store.ts` files use it. */
export interface Reader {
  get<P, R>(statement: Statement<P, R>, ...params: ParamsArgument<P>): Promise<R | undefined>
  all<P, R>(statement: Statement<P, R>, ...params: ParamsArgument<P>): Promise<R[]>
}

/** A transaction. It ends with its job: a later call is refused. After a statement failed, the job can only end. */
export interface Tx extends Reader {
  /** `changes`: rows touched. Rows of a returning clause are read by `get` and `all`. */
  run<P>(statement: Statement<P>, ...params: ParamsArgument<P>): Promise<{ readonly changes: number }>
  /** Runs once the transaction is durable, which a lost connection may show after the job was refused; not at all when it rolls back. */
  afterCommit(effect: () => void): void
}

export interface WriteOptions {
  /** About how many rows the job touches; 1 by default. Jobs with many rows do not share a transaction, which would block others for long. */
  readonly rows?: number
}

/** The service's database: SQLite in the process, or a PostgreSQL server. */
export interface Database {
  /**
   * Runs the job in a transaction and resolves after it is durable. A job that throws is rolled back alone and its error rejects the
   * promise. A job may await only calls of its `tx`; one that awaits anything else is stopped with an error. It may run more than once
   * (after a deadlock or a failed serialisation), so it changes nothing but the database: other effects belong into `tx.afterCommit`.
   * Rejects with `database_full` or `database_unwritable` (507) when the disk refuses the write, with
   * `database_unreachable` (503) when the server does not answer. `isNotWritten` tells whether the rows are certainly not durable.
   */
  write<T>(job: (tx: Tx) => T | Promise<T>, options?: WriteOptions): Promise<T>
  /** Committed rows. Two calls may see different states. */
  readonly read: Reader
  /**
   * Changes with every commit, before its jobs are answered: as long as it is the same, a read returns what it returned before. Absent
   * when other processes may write.
   */
  readonly commits?: () => number
  /** What it keeps in this process. Absent for a database server. */
  readonly memory?: () => DatabaseMemory
  /** Several reads of one state. Like a write job, `look` may await only calls of its reader. */
  snapshot<T>(look: (read: Reader) => Promise<T>): Promise<T>
  /** Milliseconds since 1970 on the clock that all processes of this database share, for leases. */
  now(): Promise<number>
  /** Resolves with the problem of the database, such as `disk full`, or undefined. Rejects when the database does not answer. */
  ping(): Promise<string | undefined>
}

interface DatabaseMemory {
  /** Limit of the page caches of all connections. SQLite does not report how much of it is in use. */
  readonly pageBytesMax: number
  /** Prepared statements of all connections, and their limit. */
  readonly statements: number
  readonly statementsMax: number
}

export const database = defineService<Database>('kernel.database')

/** Tables of one plugin. `load` is called only when the database is opened. */
export interface Schema {
  /** Prefix of the migration names, usually the plugin's id. */
  readonly name: string
  load(): Promise<{ readonly migrations: readonly Migration[] }>
  /** Describe the tables for `npm run check`; statements need only their types. */
  entities?(): Promise<readonly EntitySchema[]>
}

export const dbSchemas = defineExtensionPoint<Schema>('db.schemas')
