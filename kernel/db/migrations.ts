import type { MikroORM } from '@mikro-orm/core'
import { version } from '../version.ts'
import type { Reader } from './database.ts'
import type { Migration } from './migration.ts'
import type { NamedMigrations, OpenDatabase, OpenRequest } from './open.ts'
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

/** Throws when the database has migrations unknown to every schema: a newer svc may have changed any table. */
export async function refuseUnknownMigrations(read: Reader, path: string, { schemas, otherSchemas = [] }: OpenRequest): Promise<void> {
  const known = new Set(namesOf([...schemas, ...otherSchemas]))
  const unknown = (await readApplied(read)).filter((name) => !known.has(name))
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
}

/** MikroORM's migrator is loaded only when a migration is pending. */
export function createMigrations(
  { orm, read, path, dialect }: MigrationDeps,
  schemas: readonly NamedMigrations[],
): Pick<OpenDatabase, 'migrate' | 'pendingMigrations'> {
  async function pendingMigrations(): Promise<readonly string[]> {
    const done = new Set(await readApplied(read))
    return namesOf(schemas).filter((name) => !done.has(name))
  }
  return {
    pendingMigrations,
    async migrate() {
      if ((await pendingMigrations()).length === 0) return []
      try {
        return await applyPending(orm, schemas, dialect)
      } catch (cause) {
        throw new Error(`the database ${path} could not be migrated`, { cause })
      }
    },
  }
}

async function applyPending(orm: MikroORM, schemas: readonly NamedMigrations[], dialect: Dialect): Promise<readonly string[]> {
  const { Migrator, Migration: OrmMigration } = await import('@mikro-orm/migrations')
  const toOrm = ({ statements, postgresStatements }: Migration) =>
    class extends OrmMigration {
      override up(): void {
        const texts = dialect === 'sqlite' ? statements : [`set local statement_timeout = ${migrationMs}`, ...postgresStatements]
        for (const text of texts) this.addSql(text)
      }
    }
  const migrationsList = schemas.flatMap(({ name, migrations }) =>
    migrations.map((step) => ({ name: `${name}/${step.name}`, class: toOrm(step) })),
  )
  orm.config.set('migrations', {
    ...orm.config.get('migrations'),
    tableName: migrationTable,
    snapshot: false,
    silent: true,
    migrationsList,
  })
  return (await new Migrator(orm.em as never).up()).map((step) => step.name)
}

/** Longest time of one statement of a migration on PostgreSQL. */
const migrationMs = 600_000
