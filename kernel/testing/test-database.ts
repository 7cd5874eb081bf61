import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NamedMigrations, type OpenDatabase, type OpenRequest, openDatabase } from '../db/open.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

export interface TestDatabase extends OpenDatabase {
  readonly dir: string
  readonly dsn: string
}

export interface TestDatabaseOptions extends Partial<OpenRequest> {
  /** A directory to keep, such as that of an earlier database. Default: a new one, removed at the end. */
  readonly dir?: string
}

/** A real, migrated database: SQLite in a temporary directory, or the one of `dsn`. */
export async function openTestDatabase(
  schemas: readonly NamedMigrations[],
  { dir, ...request }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const place = dir ?? mkdtempSync(join(tmpdir(), 'svc-database-'))
  const dsn = request.dsn ?? join(place, 'test.db')
  if (request.dsn === undefined) await copySqliteTemplate(dsn, schemas)
  const database = await openDatabase({ schemas, ...request, dsn })
  await database.migrate()
  return {
    ...database,
    dir: place,
    dsn,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      if (dir === undefined) rmSync(place, { recursive: true, force: true })
    },
  }
}
