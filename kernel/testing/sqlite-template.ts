/** A copy of a migrated database takes a tenth of the CPU time of its migrations. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase } from '../db/open.ts'
import type { NamedMigrations } from '../db/open-request.ts'

/** Migrated, empty databases of this process, by their migrations. */
const templates = new Map<string, Promise<Buffer>>()

/** Writes a database with these migrations to `path`, unless there is one. */
export async function copySqliteTemplate(path: string, schemas: readonly NamedMigrations[]): Promise<void> {
  if (existsSync(path)) return
  const key = JSON.stringify(schemas.map(({ name, migrations }) => [name, migrations]))
  let template = templates.get(key)
  if (!template) {
    template = makeTemplate(schemas)
    templates.set(key, template)
  }
  const bytes = await template
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, bytes, { mode: 0o600 })
}

async function makeTemplate(schemas: readonly NamedMigrations[]): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-template-'))
  try {
    const dsn = join(dir, 'test.db')
    {
      await using database = await openDatabase({ dsn, schemas })
      await database.migrate()
    }
    // The last connection that closed has moved the write-ahead log into the file.
    return readFileSync(dsn)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
