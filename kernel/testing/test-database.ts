import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NamedMigrations, type OpenDatabase, openDatabase } from '../db/open.ts'

export interface TestDatabase extends OpenDatabase {
  readonly dir: string
}

/** A real, migrated SQLite database in a temporary directory; or in `dir`, which is kept. */
export async function openTestDatabase(
  schemas: readonly NamedMigrations[],
  { dir }: { readonly dir?: string } = {},
): Promise<TestDatabase> {
  const place = dir ?? mkdtempSync(join(tmpdir(), 'svc-database-'))
  const database = await openDatabase({ dsn: join(place, 'test.db'), schemas })
  await database.migrate()
  return {
    ...database,
    dir: place,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      if (dir === undefined) rmSync(place, { recursive: true, force: true })
    },
  }
}
