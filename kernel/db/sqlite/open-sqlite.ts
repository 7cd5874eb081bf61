import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { MikroORM, type Options, SqliteConnection } from '@mikro-orm/sqlite'
import { CompiledQuery } from 'kysely'
import { databasePath } from '../../config/database-path.ts'
import { systemClock } from '../../core/clock.ts'
import { giveToOwner, makePrivate, makePrivateDirectory } from '../../process/private-mode.ts'
import { nameFile } from '../database-error.ts'
import { createMigrations, refuseUnknownMigrations } from '../migrations.ts'
import type { OpenDatabase, OpenRequest } from '../open-request.ts'
import { type NoParams, sqlStatement } from '../statement.ts'
import { createGroupCommit, type WriterTurn } from './group-commit.ts'
import { createSnapshots } from './snapshots.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { type NativeDatabase, StatementCache, statementsMax } from './statements.ts'
import { WriteHealth } from './write-health.ts'

/** How long a statement waits for a lock held by another process, such as a backup that copies the database. */
const lockWaitMs = 5000

/** Page cache of each connection: one writes, one reads, one takes snapshots. Pages that are not in it are copied from the page cache of the system. */
const sqliteCacheBytes = 16 * 1024 * 1024
const connectionCount = 3

const connectionPragmas = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  `pragma cache_size = -${sqliteCacheBytes / 1024}`,
]

/** Opens the SQLite database: a writer connection, one for reads and one for snapshots, all through MikroORM. */
export async function openSqlite(request: OpenRequest): Promise<OpenDatabase> {
  const path = databasePath(request.dsn)
  makePrivateDirectory(dirname(path))
  keepPrivate(path)
  // Not `init`: it loads the migrator, and searches for three packages that are not installed.
  const orm = new MikroORM(ormOptions(path))
  try {
    return await connect(orm, path, request)
  } catch (error) {
    await orm.close()
    throw nameFile(error, path)
  }
}

async function connect(orm: MikroORM, path: string, request: OpenRequest): Promise<OpenDatabase> {
  const { schemas, onWriteFault = () => {}, clock = systemClock } = request
  const writer = orm.em.getConnection('write')
  const caches: StatementCache[] = []
  const statementsOf = async (connection: SqliteConnection) => {
    const statements = new StatementCache((await connection.getNativeClient()) as NativeDatabase, path)
    caches.push(statements)
    return statements
  }
  const read = new SqliteReader(await statementsOf(orm.em.getConnection('read')))
  await refuseUnknownMigrations(read, path, request)
  const mutex = writer.getClient()
  // MikroORM's own transactions use the same queue, so that they cannot interleave with group commits.
  const turn: WriterTurn = (work) => mutex.connection().execute(work)
  const health = new WriteHealth(path, onWriteFault)
  const commits = createGroupCommit(await statementsOf(writer), turn, (error) => health.explain(error))
  // Not the connection of the other reads: they would see the old state while a snapshot is open, also behind a commit of their caller.
  const snapshots = new SqliteConnection(orm.config, { dbName: path }, 'read')
  const snapshot = createSnapshots(() => statementsOf(snapshots))
  return {
    write: commits.write,
    commits: commits.count,
    memory: () => ({
      pageBytesMax: connectionCount * sqliteCacheBytes,
      statements: caches.reduce((sum, { size }) => sum + size, 0),
      statementsMax: connectionCount * statementsMax,
    }),
    read,
    snapshot: snapshot.take,
    now: async () => clock.now(),
    async ping() {
      await read.get(ping)
      return health.check(commits.write)
    },
    ...createMigrations({ orm, read, path, dialect: 'sqlite', onOrphans: request.onOrphans }, schemas),
    async [Symbol.asyncDispose]() {
      await commits.close()
      await snapshot.close()
      await snapshots.close()
      await orm.close()
    },
  }
}

const ping = sqlStatement<NoParams, { one: number }>('select 1 as one')

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

function ormOptions(path: string): Options {
  return {
    dbName: path,
    replicas: [{ name: 'reader', dbName: path }],
    driverOptions: { timeout: lockWaitMs },
    entities: [],
    discovery: { warnWhenNoEntities: false },
    onCreateConnection: async (connection: { executeQuery(query: CompiledQuery): Promise<unknown> }) => {
      for (const pragma of connectionPragmas) await connection.executeQuery(CompiledQuery.raw(pragma))
    },
  } as Options
}
