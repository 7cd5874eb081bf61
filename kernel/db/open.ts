import { isPostgres } from '../config/database-path.ts'
import { loadMigrator } from './migrations.ts'
import type { OpenDatabase, OpenRequest } from './open-request.ts'

/** Opens the database. Errors name it. Throws when it has migrations unknown to every schema. */
export async function openDatabase(request: OpenRequest): Promise<OpenDatabase> {
  if (isPostgres(request.dsn)) return (await import('./postgres/open-postgres.ts')).openPostgres(request)
  return (await import('./sqlite/open-sqlite.ts')).openSqlite(request)
}

/** Imports what the opening and the migrations need. */
export async function preloadDatabase(dsn: string): Promise<void> {
  await Promise.all([isPostgres(dsn) ? import('./postgres/open-postgres.ts') : import('./sqlite/open-sqlite.ts'), loadMigrator()])
}
