import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Migrator, Migration as OrmMigration } from '@mikro-orm/migrations'
import { MikroORM, type Options } from '@mikro-orm/sqlite'
import { CompiledQuery } from 'kysely'
import type { Database } from './database.ts'
import { databasePath } from './database-path.ts'
import { createGroupCommit, type WriterTurn } from './group-commit.ts'
import type { Migration } from './migration.ts'
import { type NativeDatabase, StatementCache } from './statements.ts'

export interface NamedMigrations {
  readonly name: string
  readonly migrations: readonly Migration[]
}

export interface OpenDatabase extends Database, AsyncDisposable {
  /** Applies what is pending and returns the names, such as `storage/0001-init`. */
  migrate(): Promise<readonly string[]>
  pendingMigrations(): Promise<readonly string[]>
}

/** How long a statement waits for a lock held by another process, such as a backup that copies the database. */
const lockWaitMs = 5000

const writerPragmas = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -65536',
]

/** Opens the SQLite database at `dsn` (a path or file: URL): one writer connection and one reader, both through MikroORM. */
export async function openDatabase({
  dsn,
  schemas,
}: {
  readonly dsn: string
  readonly schemas: readonly NamedMigrations[]
}): Promise<OpenDatabase> {
  const path = databasePath(dsn)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const orm = await MikroORM.init(ormOptions(path, schemas))
  const writer = orm.em.getConnection('write')
  const reader = orm.em.getConnection('read')
  const writerHandle = (await writer.getNativeClient()) as NativeDatabase
  const readerHandle = (await reader.getNativeClient()) as NativeDatabase
  const mutex = writer.getClient()
  // MikroORM's own transactions take the same turn, so neither can slip into the other's transaction.
  const turn: WriterTurn = (work) => mutex.connection().execute(async () => work())
  const commits = createGroupCommit(writerHandle, turn)
  const migrator = (orm as unknown as { readonly migrator: Migrator }).migrator
  return {
    write: commits.write,
    read: new StatementCache(readerHandle),
    ping: async () => void readerHandle.prepare('select 1').get(),
    migrate: async () => (await migrator.up()).map((step) => step.name),
    pendingMigrations: async () => (await migrator.getPending()).map((step) => step.name),
    async [Symbol.asyncDispose]() {
      await commits.close()
      await orm.close()
    },
  }
}

function ormOptions(path: string, schemas: readonly NamedMigrations[]): Options {
  return {
    dbName: path,
    replicas: [{ name: 'reader', dbName: path }],
    driverOptions: { timeout: lockWaitMs },
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: 'svc_migration',
      snapshot: false,
      silent: true,
      migrationsList: schemas.flatMap(({ name, migrations }) =>
        migrations.map((step) => ({ name: `${name}/${step.name}`, class: ormMigration(step) })),
      ),
    },
    onCreateConnection: async (connection: { executeQuery(query: CompiledQuery): Promise<unknown> }) => {
      for (const pragma of writerPragmas) await connection.executeQuery(CompiledQuery.raw(pragma))
    },
  } as Options
}

function ormMigration(step: Migration): new (...args: ConstructorParameters<typeof OrmMigration>) => OrmMigration {
  return class extends OrmMigration {
    override up(): void {
      for (const statement of step.statements) this.addSql(statement)
    }
  }
}
