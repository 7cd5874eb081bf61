import type { NamedMigrations } from '../db/open.ts'
import type { Dialect } from '../db/statement.ts'
import { hasPostgres, newPostgresDatabase } from './postgres.ts'
import { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts'

export interface Engine {
  readonly dialect: Dialect
  /** Opens a new, migrated database. */
  open(schemas: readonly NamedMigrations[], options?: Omit<TestDatabaseOptions, 'dsn' | 'dir'>): Promise<TestDatabase>
}

/** The only engine, of a vitest project. Undefined: both. */
const onlyEngine = process.env.SVC_TEST_ENGINE

/** Runs the tests on SQLite and on PostgreSQL, whose tests are skipped where it is not installed. Await it at the top of the file. */
export async function describeOnEngines(name: string, tests: (engine: Engine) => void): Promise<void> {
  // Benchmarks import the other test support without vitest.
  const { describe } = await import('vitest')
  if (onlyEngine !== 'postgres') {
    describe(`${name} on SQLite`, () => tests({ dialect: 'sqlite', open: (schemas, options) => openTestDatabase(schemas, options) }))
  }
  if (onlyEngine === 'sqlite') return
  describe.skipIf(!hasPostgres())(`${name} on PostgreSQL`, () =>
    tests({
      dialect: 'postgres',
      open: async (schemas, options) => openTestDatabase(schemas, { ...options, dsn: await newPostgresDatabase() }),
    }),
  )
}
