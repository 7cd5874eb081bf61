/** Compares the tables that migrations make with those of the entities, on SQLite and, where it is installed, on PostgreSQL. */
import type { EntitySchema } from '@mikro-orm/core'
import { dbSchemas } from '#kernel'
import { contributionsTo, loadPlugin } from '#kernel/host'
import { openTestDatabase } from '#kernel/testing'
import { defineMigration } from '../../kernel/db/migration.ts'
import type { NamedMigrations } from '../../kernel/db/open-request.ts'
import { type Dialect, type NoParams, sqlStatement } from '../../kernel/db/statement.ts'
import { taskEntities } from '../../kernel/tasks/rows/task-entities.ts'
import { taskMigrations } from '../../kernel/tasks/rows/task-migrations.ts'
import { hasPostgres, newPostgresDatabase } from '../../kernel/testing/postgres.ts'
import { builtinPlugins } from '../../plugins/index.ts'

interface DescribedSchema extends NamedMigrations {
  readonly entities: readonly EntitySchema[]
}

export async function checkEntities(): Promise<readonly string[]> {
  const schemas = await describedSchemas()
  return (await Promise.all((['sqlite', 'postgres'] as const).map((dialect) => compareEntities(schemas, dialect)))).flat()
}

/** The kernel's schema and those of the plugins that have entities. */
async function describedSchemas(): Promise<readonly DescribedSchema[]> {
  const plugins = await Promise.all(builtinPlugins.map(loadPlugin))
  const contributed = await Promise.all(
    contributionsTo(dbSchemas, plugins).map(async ({ item }) => {
      const entities = await item.entities?.()
      return entities ? [{ name: item.name, ...(await item.load()), entities }] : []
    }),
  )
  return [{ name: 'kernel', migrations: taskMigrations, entities: taskEntities }, ...contributed.flat()]
}

/** Facts of one side that the other lacks. Empty where the engine is not installed. */
export async function compareEntities(schemas: readonly DescribedSchema[], dialect: Dialect): Promise<readonly string[]> {
  if (dialect === 'postgres' && !hasPostgres()) return []
  const ofMigrations = await readFacts(schemas, dialect)
  const texts = await createTables(
    schemas.flatMap(({ entities }) => entities),
    dialect,
  )
  const ofEntities = await readFacts([{ name: 'entities', migrations: [defineMigration('0001-tables', texts)] }], dialect)
  return [
    ...[...ofMigrations].filter((fact) => !ofEntities.has(fact)).map((fact) => `${dialect}: only the migrations have ${fact}`),
    ...[...ofEntities].filter((fact) => !ofMigrations.has(fact)).map((fact) => `${dialect}: only the entities have ${fact}`),
  ]
}

async function createTables(entities: readonly EntitySchema[], dialect: Dialect): Promise<readonly string[]> {
  const options = { dbName: 'entities', entities: [...entities] }
  const orm =
    dialect === 'sqlite'
      ? new (await import('@mikro-orm/sqlite')).MikroORM(options)
      : new (await import('@mikro-orm/postgresql')).MikroORM(options)
  const sql = await orm.schema.getCreateSchemaSQL({ wrap: false })
  return sql.split(/;\n/).filter((text) => text.trim() !== '')
}

/** SQLite stores all integers alike. MikroORM quotes defaults of `bigint`. */
const facts = sqlStatement<NoParams, { fact: string }>({
  sqlite: `with tables as (select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not in ('svc_migration', 'svc_migrated_by'))
    select 'the column ' || t.name || '.' || c.name || ' ' || replace(replace(lower(c.type), 'integer', 'int'), 'bigint', 'int')
      || iif(c."notnull" or c.pk > 0, ' not null', '')
      || coalesce(' default ' || iif(trim(c.dflt_value, '''') glob '[0-9]*', trim(c.dflt_value, ''''), c.dflt_value), '') || iif(c.pk > 0, ', in the primary key at ' || c.pk, '') as fact
    from tables t join pragma_table_info(t.name) c
    union all
    select 'the foreign key ' || t.name || '.' || k."from" || ' to ' || k."table" || '.' || coalesce(k."to", 'id') || ' on delete ' || lower(k.on_delete) from tables t join pragma_foreign_key_list(t.name) k`,
  postgres: `select 'the column ' || c.table_name || '.' || c.column_name || ' ' || c.data_type || case c.is_nullable when 'NO' then ' not null' else '' end
      || case when c.is_identity = 'YES' or c.column_default like 'nextval(%' then ' generated' else coalesce(' default ' || regexp_replace(c.column_default, '^''([0-9]+)''.*$', '\\1'), '') end as fact
    from information_schema.columns c where c.table_schema = current_schema() and c.table_name not in ('svc_migration', 'svc_migrated_by')
    union all
    select 'the constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = current_schema()::regnamespace and contype in ('p', 'f') and conrelid not in ('svc_migration'::regclass, 'svc_migrated_by'::regclass)`,
})

async function readFacts(schemas: readonly NamedMigrations[], dialect: Dialect): Promise<ReadonlySet<string>> {
  await using database = await openTestDatabase(schemas, dialect === 'postgres' ? { dsn: await newPostgresDatabase() } : { dialect })
  return new Set((await database.read.all(facts)).map(({ fact }) => fact))
}
