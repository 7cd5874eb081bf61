/** Doors to files of SQLite for programs. Commands that need none do not load them. */
import type { Reader } from '../db/database.ts'
import type { MigrationState } from '../db/migrations.ts'
import type * as sqliteFile from '../db/sqlite/sqlite-file.ts'
import type { PreparedKernel } from './prepare.ts'

export type SqliteFile = sqliteFile.SqliteFile

export const openSqliteFile = async (path: string): Promise<SqliteFile> =>
  new (await import('../db/sqlite/sqlite-file.ts')).SqliteFile(path)

export const changeSqliteCopy: typeof sqliteFile.changeSqliteCopy = async (path, job) =>
  (await import('../db/sqlite/sqlite-file.ts')).changeSqliteCopy(path, job)

export const emptySqliteLog: (...args: Parameters<typeof sqliteFile.emptySqliteLog>) => Promise<boolean> = async (path) =>
  (await import('../db/sqlite/sqlite-file.ts')).emptySqliteLog(path)

/** The migrations of an existing database, compared with those of this svc. */
export const readMigrations = async (prepared: PreparedKernel, read: Reader): Promise<MigrationState> =>
  (await import('./open-kernel-database.ts')).migrationStateOf(prepared, read)
