import type { NamedMigrations } from '../db/open-request.ts'
import type { Dialect } from '../db/statement.ts'
import { hasPostgres, isPostgresChosen } from './postgres.ts'
import { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts'

export interface Engine {
  readonly dialect: Dialect
  /** Opens a new, migrated database. */
  open(schemas: readonly NamedMigrations[], options?: Omit<TestDatabaseOptions, 'dsn' | 'dir' | 'dialect'>): Promise<TestDatabase>
}

/** The only engine, of a vitest project or of `npm run test:postgres`. Undefined: both. */
const onlyEngine = isPostgresChosen() ? 'postgres' : process.env.SVC_TEST_ENGINE

/** Runs the tests on SQLite and on PostgreSQL, whose tests are skipped where it is not installed. Await it at the top of the file. */
export async function describeOnEngines(name: string, tests: (engine: Engine) => void): Promise<void> {
  // Benchmarks import the other test support without vitest.
  const { describe } = await import('vitest')
  const engineOf = (dialect: Dialect): Engine => ({
    dialect,
    open: (schemas, options) => openTestDatabase(schemas, { ...options, dialect }),
  })
  if (onlyEngine !== 'postgres') describe(`${name} on SQLite`, () => tests(engineOf('sqlite')))
  if (onlyEngine === 'sqlite') return
  describe.skipIf(!hasPostgres())(`${name} on PostgreSQL`, () => tests(engineOf('postgres')))
}
