import type { MikroORM } from '@mikro-orm/core'
import { version } from '../process/version.ts'
import type { Reader } from './database.ts'
import type { Migration } from './migration.ts'
import type { NamedMigrations, OpenDatabase, OpenRequest } from './open-request.ts'
import { type Execute, type OrphanListener, setAsideOrphans } from './orphans.ts'
import { type Dialect, type NoParams, sqlStatement } from './statement.ts'

/** Table of the applied migrations, named like `storage/0001-init`. */
const migrationTable = 'svc_migration'
const namesShownMax = 3

const findTable = sqlStatement<NoParams, { present: number }>({
  sqlite: `select 1 as present from sqlite_master where type = 'table' and name = '${migrationTable}'`,
  postgres: `select 1 as present where to_regclass('${migrationTable}') is not null`,
})
const applied = sqlStatement<NoParams, { name: string }>(`select name from ${migrationTable} order by id`)

const readApplied = async (read: Reader): Promise<readonly string[]> =>
  (await read.get(findTable)) ? (await read.all(applied)).map(({ name }) => name) : []

const namesOf = (schemas: readonly NamedMigrations[]) =>
  schemas.flatMap(({ name, migrations }) => migrations.map((step) => `${name}/${step.name}`))

export interface MigrationState {
  /** Names of migrations that are not applied, such as `storage/0001-init`. */
  readonly pending: readonly string[]
  /** Names of applied migrations that no schema has. */
  readonly unknown: readonly string[]
}

export async function readMigrationState(
  read: Reader,
  { schemas, otherSchemas = [] }: Pick<OpenRequest, 'schemas' | 'otherSchemas'>,
): Promise<MigrationState> {
  const applied = await readApplied(read)
  const known = new Set(namesOf([...schemas, ...otherSchemas]))
  return { pending: namesOf(schemas).filter((name) => !applied.includes(name)), unknown: applied.filter((name) => !known.has(name)) }
}

/** Throws when the database has migrations unknown to every schema: a newer svc may have changed any table. */
export async function refuseUnknownMigrations(read: Reader, path: string, request: OpenRequest): Promise<void> {
  const { unknown } = await readMigrationState(read, request)
  if (unknown.length === 0) return
  const shown =
    unknown.slice(0, namesShownMax).join(', ') + (unknown.length > namesShownMax ? ` and ${unknown.length - namesShownMax} more` : '')
  throw new Error(
    `the database ${path} has migrations that svc ${version.version} does not know (${shown}): it was used by a newer svc, or by a plugin ` +
      'that is not installed now. Start that version, or install the plugin again (it may stay disabled), or restore a backup from before',
  )
}

interface MigrationDeps {
  readonly orm: MikroORM
  readonly read: Reader
  readonly path: string
  readonly dialect: Dialect
  readonly onOrphans?: OrphanListener | undefined
}

/** MikroORM's migrator is loaded only when a migration is pending. */
export function createMigrations(
  deps: MigrationDeps,
  schemas: readonly NamedMigrations[],
): Pick<OpenDatabase, 'migrate' | 'pendingMigrations'> {
  const { read, path } = deps
  const pendingMigrations = async () => (await readMigrationState(read, { schemas })).pending
  return {
    pendingMigrations,
    async migrate() {
      if ((await pendingMigrations()).length === 0) return []
      try {
        return await applyPending(deps, schemas)
      } catch (cause) {
        throw new Error(`the database ${path} could not be migrated`, { cause })
      }
    },
  }
}

async function applyPending({ orm, dialect, onOrphans }: MigrationDeps, schemas: readonly NamedMigrations[]): Promise<readonly string[]> {
  const { Migrator, Migration: OrmMigration } = await import('@mikro-orm/migrations')
  const toOrm = (name: string, { statements, postgresStatements }: Migration) =>
    class extends OrmMigration {
      override async up(): Promise<void> {
        const execute: Execute = (text, params) => this.execute(text, params && [...params])
        if (dialect === 'postgres') {
          for (const text of [`set local statement_timeout = ${migrationMs}`, ...postgresStatements]) await execute(text)
          return
        }
        for (const text of statements) await execute(text)
        if (statements.length > 0) await setAsideOrphans(execute, name, onOrphans)
      }
    }
  const migrationsList = schemas.flatMap(({ name, migrations }) =>
    migrations.map((step) => ({ name: `${name}/${step.name}`, class: toOrm(`${name}/${step.name}`, step) })),
  )
  orm.config.set('migrations', {
    ...orm.config.get('migrations'),
    tableName: migrationTable,
    snapshot: false,
    silent: true,
    migrationsList,
  })
  const apply = async () => (await new Migrator(orm.em as never).up()).map((step) => step.name)
  return dialect === 'sqlite' ? await withoutForeignKeys(orm, apply) : await apply()
}

/**
 * A migration on SQLite may have to rebuild a table, which would delete the rows that refer to it. The setting changes only outside of
 * transactions, so each migration checks the keys before its commit.
 */
async function withoutForeignKeys<T>(orm: MikroORM, work: () => Promise<T>): Promise<T> {
  const execute = (text: string) => (orm.em.getDriver() as unknown as { execute: Execute }).execute(text)
  await execute('pragma foreign_keys = off')
  try {
    return await work()
  } finally {
    await execute('pragma foreign_keys = on')
  }
}

/** Longest time of one statement of a migration on PostgreSQL. */
const migrationMs = 600_000
