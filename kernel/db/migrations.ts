import type { MikroORM } from '@mikro-orm/core'
import { version } from '../process/version.ts'
import type { Reader } from './database.ts'
import type { Migration } from './migration.ts'
import type { NamedMigrations, OpenDatabase, OpenRequest } from './open-request.ts'
import { type Execute, type OrphanListener, setAsideOrphans } from './orphans.ts'
import { type Dialect, type NoParams, sqlStatement } from './statement.ts'

/** Table of the applied migrations, named like `storage/0001-init`. */
const migrationTable = 'svc_migration'
/** Table of the version of svc that applied each; earlier versions did not record it. */
const versionTable = 'svc_migrated_by'
const namesShownMax = 3

const find = (table: string) =>
  sqlStatement<NoParams, { present: number }>({
    sqlite: `select 1 as present from sqlite_master where type = 'table' and name = '${table}'`,
    postgres: `select 1 as present where to_regclass('${table}') is not null`,
  })
const findMigrations = find(migrationTable)
const findVersions = find(versionTable)
const applied = sqlStatement<NoParams, AppliedMigration>(`select name, null as version from ${migrationTable} order by id`)
const appliedWithVersions = sqlStatement<NoParams, AppliedMigration>(
  `select m.name, v.version from ${migrationTable} m left join ${versionTable} v on v.name = m.name order by m.id`,
)

interface AppliedMigration {
  readonly name: string
  /** The svc that applied it; null when it did not record it. */
  readonly version: string | null
}

async function readApplied(read: Reader): Promise<readonly AppliedMigration[]> {
  if (!(await read.get(findMigrations))) return []
  return read.all((await read.get(findVersions)) ? appliedWithVersions : applied)
}

const namesOf = (schemas: readonly NamedMigrations[]) =>
  schemas.flatMap(({ name, migrations }) => migrations.map((step) => `${name}/${step.name}`))

export interface MigrationState {
  /** Names of applied migrations, in the order of their application. */
  readonly applied: readonly string[]
  /** Names of migrations that are not applied, such as `storage/0001-init`. */
  readonly pending: readonly string[]
  /** Names of applied migrations that no schema has. */
  readonly unknown: readonly string[]
  /** The version of svc that applied the last migration, and so can read the data. Undefined when it is not recorded. */
  readonly readableBy: string | undefined
}

export async function readMigrationState(
  read: Reader,
  { schemas, otherSchemas = [] }: Pick<OpenRequest, 'schemas' | 'otherSchemas'>,
): Promise<MigrationState> {
  const rows = await readApplied(read)
  const applied = rows.map(({ name }) => name)
  const known = new Set(namesOf([...schemas, ...otherSchemas]))
  const unknown = applied.filter((name) => !known.has(name))
  return {
    applied,
    pending: namesOf(schemas).filter((name) => !applied.includes(name)),
    unknown,
    readableBy: rows.findLast(({ name }) => unknown.length === 0 || !known.has(name))?.version ?? undefined,
  }
}

/** Throws when the database has migrations unknown to every schema: a newer svc may have changed any table. */
export async function refuseUnknownMigrations(read: Reader, path: string, request: OpenRequest): Promise<void> {
  const { unknown, readableBy } = await readMigrationState(read, request)
  if (unknown.length === 0) return
  const shown =
    unknown.slice(0, namesShownMax).join(', ') + (unknown.length > namesShownMax ? ` and ${unknown.length - namesShownMax} more` : '')
  throw new Error(
    `the database ${path} has migrations that svc ${version.version} does not know (${shown}): it was used by a newer svc, or by a plugin ` +
      `that is not installed now. Start ${readableBy === undefined ? 'that version' : `svc ${readableBy}, which can read it`}, or install ` +
      'the plugin again (it may stay disabled), or restore the copy from before the upgrade, which svc migrate --status names',
  )
}

interface MigrationDeps {
  readonly orm: MikroORM
  readonly read: Reader
  readonly path: string
  readonly dialect: Dialect
  readonly onOrphans?: OrphanListener | undefined
}

/** MikroORM's migrator is loaded only when a migration is pending, or may be soon. */
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

export const loadMigrator = () => import('@mikro-orm/migrations')

async function applyPending({ orm, dialect, onOrphans }: MigrationDeps, schemas: readonly NamedMigrations[]): Promise<readonly string[]> {
  const { Migrator, Migration: OrmMigration } = await loadMigrator()
  const toOrm = (name: string, { statements, postgresStatements }: Migration) =>
    class extends OrmMigration {
      override async up(): Promise<void> {
        const execute: Execute = (text, params) => this.execute(text, params && [...params])
        await execute(recordVersion(name))
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
  const apply = async () => {
    await executorOf(orm)(`create table if not exists ${versionTable} (name text primary key, version text not null)`)
    return (await new Migrator(orm.em as never).up()).map((step) => step.name)
  }
  return dialect === 'sqlite' ? await withoutForeignKeys(orm, apply) : await apply()
}

const executorOf = (orm: MikroORM) => (text: string) => (orm.em.getDriver() as unknown as { execute: Execute }).execute(text)

/** Names and versions have no quotes. Replaces the record of a plugin whose tables were removed by hand. */
const recordVersion = (name: string): string =>
  `insert into ${versionTable} (name, version) values ('${name}', '${version.version}') on conflict (name) do update set version = excluded.version`

/**
 * A migration on SQLite may have to rebuild a table, which would delete the rows that refer to it. The setting changes only outside of
 * transactions, so each migration checks the keys before its commit.
 */
async function withoutForeignKeys<T>(orm: MikroORM, work: () => Promise<T>): Promise<T> {
  const execute = executorOf(orm)
  await execute('pragma foreign_keys = off')
  try {
    return await work()
  } finally {
    await execute('pragma foreign_keys = on')
  }
}

/** Longest time of one statement of a migration on PostgreSQL. */
const migrationMs = 600_000
