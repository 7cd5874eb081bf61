import { isPostgres } from '../config/database-path.ts'
import type { OpenDatabase, OpenRequest } from './open-request.ts'

/** Opens the database. Errors name it. Throws when it has migrations unknown to every schema. */
export async function openDatabase(request: OpenRequest): Promise<OpenDatabase> {
  if (isPostgres(request.dsn)) return (await import('./postgres/open-postgres.ts')).openPostgres(request)
  return (await import('./sqlite/open-sqlite.ts')).openSqlite(request)
}
