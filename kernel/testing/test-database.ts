import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../db/open.ts'
import type { NamedMigrations, OpenDatabase, OpenRequest } from '../db/open-request.ts'
import type { Dialect } from '../db/statement.ts'
import { dropPostgresDatabase, isPostgresChosen, newPostgresDatabase } from './postgres.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

export interface TestDatabase extends OpenDatabase {
  readonly dir: string
  readonly dsn: string
}

export interface TestDatabaseOptions extends Partial<OpenRequest> {
  /** A directory to keep, such as that of an earlier database. Default: a new one, removed at the end. */
  readonly dir?: string
  /** Default: SQLite, or PostgreSQL in runs of `npm run test:postgres`. */
  readonly dialect?: Dialect
}

/** False in runs of `npm run test:postgres`: tests that have a meaning on SQLite only are skipped there with `test.runIf`. */
export const runsOnSqlite = (): boolean => !isPostgresChosen()

/** A real, migrated database: that of `dsn`, or of `dir` and the engine. One with the same `dir` as an earlier one has its rows. */
export async function openTestDatabase(
  schemas: readonly NamedMigrations[],
  { dir, dialect = runsOnSqlite() ? 'sqlite' : 'postgres', ...request }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const place = dir ?? mkdtempSync(join(tmpdir(), 'svc-database-'))
  const dsn = request.dsn ?? (dialect === 'postgres' ? await postgresOf(place, schemas) : await sqliteOf(place, schemas))
  const database = await openDatabase({ schemas, allowsUnsafe: true, ...request, dsn })
  await database.migrate()
  return {
    ...database,
    dir: place,
    dsn,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      if (dir !== undefined) return
      if (postgresByDir.delete(place)) dropPostgresDatabase(dsn)
      rmSync(place, { recursive: true, force: true })
    },
  }
}

/** The DSN of a new PostgreSQL database with these tables. */
const newPostgres = (schemas: readonly NamedMigrations[]): Promise<string> =>
  newPostgresDatabase({
    name: `template_${keyOf(schemas)}`,
    async migrate(dsn) {
      await using database = await openDatabase({ dsn, schemas, allowsUnsafe: true })
      await database.migrate()
    },
  })

const postgresByDir = new Map<string, Promise<string>>()

function postgresOf(dir: string, schemas: readonly NamedMigrations[]): Promise<string> {
  const dsn = postgresByDir.get(dir) ?? newPostgres(schemas)
  postgresByDir.set(dir, dsn)
  return dsn
}

async function sqliteOf(dir: string, schemas: readonly NamedMigrations[]): Promise<string> {
  const path = join(dir, 'test.db')
  await copySqliteTemplate(path, schemas)
  return path
}

const keyOf = (schemas: readonly NamedMigrations[]): string =>
  createHash('sha256')
    .update(JSON.stringify(schemas.map(({ name, migrations }) => ({ name, migrations }))))
    .digest('hex')
    .slice(0, 24)
