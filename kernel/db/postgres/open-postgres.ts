import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { postgresName } from '../../config/database-path.ts'
import { singleFlight } from '../../process/single-flight.ts'
import type { Reader } from '../database.ts'
import { createMigrations, refuseUnknownMigrations } from '../migrations.ts'
import type { OpenDatabase, OpenRequest } from '../open-request.ts'
import { type NoParams, sqlStatement } from '../statement.ts'
import { readConnectionOptions } from './connection-options.ts'
import { type NativePool, rowTypes, statementMs, textQuery } from './native.ts'
import { isUnreachable, throwNamed } from './postgres-error.ts'
import { PostgresHealth } from './postgres-health.ts'
import { PostgresReader, PostgresStatements, PostgresTx, type Send } from './postgres-reader.ts'
import { ReaderPool } from './reader-pool.ts'
import { applicationName, WriterSession } from './session.ts'
import { createPostgresWriter } from './writer.ts'

/** Wait for a new connection. */
const connectMs = 5000
/** The server ends a transaction whose process stopped sending, which frees its locks. */
const idleInTransactionMs = 60_000
const readerLimits = { readers: 8, waiting: 1000, waitMs: 5000 }
/** The server ends a session whose client is gone, which frees its lock, after a minute at most. It ignores these on Unix sockets. */
const keepAlive = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c tcp_user_timeout=60000'

const serverClock = sqlStatement<NoParams, { now: number }>('select floor(extract(epoch from clock_timestamp()) * 1000) as now')

/** Opens the PostgreSQL database: one session that writes and holds the lock, a pool for reads, all through MikroORM. */
export const openPostgres = (request: OpenRequest): Promise<OpenDatabase> =>
  usePools(request, (pools, name) => connect(pools, name, request))

/** Opens it for reads only, without the lock: another svc may use it. */
export const openPostgresReader = (request: Pick<OpenRequest, 'dsn' | 'onWarning'>): Promise<{ readonly read: Reader } & AsyncDisposable> =>
  usePools(request, async (pools, name) => {
    const readers = new ReaderPool(await pools.open('read'), name, readerLimits)
    return { read: readThrough(readers, new PostgresStatements()), [Symbol.asyncDispose]: pools.close }
  })

const readThrough = (readers: ReaderPool, statements: PostgresStatements): Reader =>
  new PostgresReader(statements, (statement) => readers.use((send) => send(statement)))

async function usePools<T>(request: Pick<OpenRequest, 'dsn' | 'onWarning'>, open: (pools: Pools, name: string) => Promise<T>): Promise<T> {
  const name = postgresName(request.dsn)
  const options = readConnectionOptions(request.dsn)
  if (options.warning) request.onWarning?.(`the database ${name}: ${options.warning.problem}; ${options.warning.repair}`)
  // Not `init`, which loads the migrator before it is needed.
  const pools = createPools(new MikroORM(ormOptions(options)), name)
  try {
    return await open(pools, name)
  } catch (error) {
    await pools.close()
    throw options.verifiesByDefault && isUnreachable(error) ? unverified(name, error) : error
  }
}

/** The server may have no certificate, or none that this machine trusts. */
const unverified = (name: string, cause: unknown): Error =>
  new Error(
    `the database ${name} cannot be reached with a verified certificate, which svc demands of other hosts by default; correct the ` +
      'server, name its authority with sslrootcert, or choose sslmode in database.dsn',
    { cause: cause instanceof Error ? cause.cause : cause },
  )

type Pools = ReturnType<typeof createPools>

function createPools(orm: MikroORM, name: string) {
  const opened: NativePool[] = []
  return {
    orm,
    async open(type: 'read' | 'write'): Promise<NativePool> {
      const pool = await (orm.em.getConnection(type).getNativeClient() as Promise<NativePool>).catch(throwNamed(name))
      opened.push(pool)
      return pool
    },
    async close(): Promise<void> {
      await orm.close()
      // MikroORM closes only pools that it used itself, for migrations.
      await Promise.all(opened.map((pool) => pool.ending || pool.end()))
    },
  }
}

async function connect({ orm, ...pools }: Pools, name: string, request: OpenRequest): Promise<OpenDatabase> {
  const { schemas, onWriteFault = () => {}, clock } = request
  const session = new WriterSession({ ...request, pool: await pools.open('write'), name })
  await session.lock(request.lockWait)
  const readers = new ReaderPool(await pools.open('read'), name, readerLimits)
  const statements = new PostgresStatements()
  const read = readThrough(readers, statements)
  const probe: Reader = new PostgresReader(statements, (statement) => readers.reserved((send) => send(statement)))
  const health = new PostgresHealth(onWriteFault)
  const writer = createPostgresWriter({ session, statements, name, health })
  try {
    await refuseUnknownMigrations(read, name, request)
  } catch (error) {
    await writer.close()
    throw error
  }
  return {
    write: writer.write,
    read,
    snapshot: (look) => readers.use((send) => takeSnapshot(send, new PostgresTx(statements, send), look)),
    now: async () => (clock ? clock.now() : ((await read.get(serverClock))?.now ?? Number.NaN)),
    ping: singleFlight(() => health.check(probe, writer.write)),
    ...createMigrations({ orm, read, path: name, dialect: 'postgres' }, schemas),
    async [Symbol.asyncDispose]() {
      await writer.close()
      await pools.close()
    },
  }
}

async function takeSnapshot<T>(send: Send, tx: PostgresTx, look: (read: Reader) => Promise<T>): Promise<T> {
  await send(textQuery('begin isolation level repeatable read read only'))
  try {
    return await tx.perform(look, 'a snapshot')
  } finally {
    await send(textQuery('rollback'))
  }
}

function ormOptions({ clientUrl, given }: ReturnType<typeof readConnectionOptions>): Options {
  return {
    clientUrl,
    dbName: decodeURIComponent(new URL(clientUrl).pathname.slice(1)) || 'svc',
    replicas: [{ name: 'reader', clientUrl }],
    driverOptions: {
      application_name: applicationName,
      ...given,
      options: [keepAlive, given.options].filter((text) => text !== undefined).join(' '),
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      keepAlive: true,
      types: rowTypes,
      max: readerLimits.readers + 1,
    },
    entities: [],
    discovery: { warnWhenNoEntities: false },
  } as Options
}
