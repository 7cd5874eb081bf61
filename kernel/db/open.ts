import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Migrator, Migration as OrmMigration } from '@mikro-orm/migrations'
import { MikroORM, type Options, SqliteConnection } from '@mikro-orm/sqlite'
import { CompiledQuery } from 'kysely'
import { giveToOwner, makePrivate, makePrivateDirectory } from '../private-mode.ts'
import type { Database } from './database.ts'
import { nameFile } from './database-error.ts'
import { databasePath } from './database-path.ts'
import { createGroupCommit, type WriterTurn } from './group-commit.ts'
import { migrationTable, refuseUnknownMigrations } from './known-migrations.ts'
import type { Migration } from './migration.ts'
import { createSnapshots } from './snapshots.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { type NativeDatabase, StatementCache } from './statements.ts'
import { type WriteFaultListener, WriteHealth } from './write-health.ts'

export interface NamedMigrations {
  readonly name: string
  readonly migrations: readonly Migration[]
}

export interface OpenDatabase extends Database, AsyncDisposable {
  /** Applies pending migrations and returns their names, such as `storage/0001-init`. */
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

export interface OpenRequest {
  /** A path or file: URL. */
  readonly dsn: string
  readonly schemas: readonly NamedMigrations[]
  /** Schemas of disabled plugins, whose tables stay unchanged. */
  readonly otherSchemas?: readonly NamedMigrations[]
  readonly onWriteFault?: WriteFaultListener
}

/**
 * Opens the SQLite database: one writer connection and one reader, both through MikroORM. Errors name the file. Throws when the database
 * has migrations unknown to every schema.
 */
export async function openDatabase(request: OpenRequest): Promise<OpenDatabase> {
  const path = databasePath(request.dsn)
  makePrivateDirectory(dirname(path))
  keepPrivate(path)
  const orm = await MikroORM.init(ormOptions(path, request.schemas))
  try {
    return await connect(orm, path, request)
  } catch (error) {
    await orm.close()
    throw nameFile(error, path)
  }
}

async function connect(orm: MikroORM, path: string, { schemas, otherSchemas = [], onWriteFault = () => {} }: OpenRequest) {
  const writer = orm.em.getConnection('write')
  const reader = new SqliteReader(await statementsOf(orm.em.getConnection('read'), path))
  refuseUnknownMigrations(reader, path, [...schemas, ...otherSchemas])
  const mutex = writer.getClient()
  // MikroORM's own transactions use the same queue, so that they cannot interleave with group commits.
  const turn: WriterTurn = (work) => mutex.connection().execute(work)
  const health = new WriteHealth(path, onWriteFault)
  const commits = createGroupCommit(await statementsOf(writer, path), turn, (error) => health.explain(error))
  // Not the connection of the other reads: they would see the old state while a snapshot is open, also behind a commit of their caller.
  const snapshots = new SqliteConnection(orm.config, { dbName: path }, 'read')
  const snapshot = createSnapshots(async () => statementsOf(snapshots, path))
  const migrator = (orm as unknown as { readonly migrator: Migrator }).migrator
  return {
    write: commits.write,
    read: reader,
    snapshot: snapshot.take,
    async ping() {
      reader.get('select 1')
      return health.check(commits.write)
    },
    async migrate() {
      try {
        return (await migrator.up()).map((step) => step.name)
      } catch (cause) {
        throw new Error(`the database ${path} could not be migrated`, { cause })
      }
    },
    pendingMigrations: async () => (await migrator.getPending()).map((step) => step.name),
    async [Symbol.asyncDispose]() {
      await commits.close()
      await snapshot.close()
      await snapshots.close()
      await orm.close()
    },
  }
}

const statementsOf = async (connection: SqliteConnection, path: string) =>
  new StatementCache((await connection.getNativeClient()) as NativeDatabase, path)

/**
 * Makes the files of the database private before SQLite opens them; SQLite gives those beside the database its mode. By path, because
 * closing a descriptor of an open database frees the locks on it.
 */
function keepPrivate(path: string): void {
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600))
    giveToOwner(path)
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) makePrivate(file)
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
      tableName: migrationTable,
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
