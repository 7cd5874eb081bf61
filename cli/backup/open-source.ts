import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError } from '#kernel'
import { contributionsTo, databasePath, isPostgres, openSqliteFile, type PreparedKernel, readMigrations } from '#kernel/host'
import { backupFiles, ownedDirectories } from '#kernel/system'
import type { FileSource } from './collect-files.ts'

const postgresAdvice =
  'svc copies no PostgreSQL database: use pg_dump for it, and copy the folder of cache.dir while svc is stopped, as docs/guide/backup.md describes'

function requireSqlite(dsn: string): string {
  if (isPostgres(dsn)) throw new CommandError(postgresAdvice)
  return resolve(databasePath(dsn))
}

/** Path of the database, whose tables must be those of this svc. */
export async function findDatabase(prepared: PreparedKernel): Promise<string> {
  const path = requireSqlite(prepared.dsn)
  if (!existsSync(path)) throw new CommandError(`there is no database ${path}: nothing to back up`)
  await requireCurrentTables(prepared, path)
  return path
}

/** Refuses tables of another version: statements of this svc do not know them. */
export async function requireCurrentTables(prepared: PreparedKernel, path: string): Promise<void> {
  using database = await openSqliteFile(path)
  const { pending, unknown, readableBy } = await readMigrations(prepared, database)
  if (unknown.length > 0)
    throw new CommandError(`the database ${path} was written by a later svc; use svc ${readableBy ?? 'of that version'}`)
  if (pending.length > 0) throw new CommandError(`the database ${path} is that of an earlier svc; use its svc, or run svc migrate first`)
}

/** Files of all plugins, also of disabled ones: their rows are in the database. */
export function fileSources({ enabled, disabled, settings }: PreparedKernel): readonly FileSource[] {
  const plugins = [...enabled, ...disabled]
  const directories = contributionsTo(ownedDirectories, plugins).map(({ item }) => item)
  return contributionsTo(backupFiles, plugins).flatMap(({ item: files }) => {
    const directory = directories.find(({ field }) => field === files.field)
    return directory ? [{ files, directory: resolve(directory.path(settings)) }] : []
  })
}
