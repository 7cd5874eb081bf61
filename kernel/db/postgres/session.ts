import { hostname } from 'node:os'
import { type LockWait, lockOrWait } from '../../lock/lock-wait.ts'
import type { OpenRequest } from '../open-request.ts'
import { lastRow, type NativeClient, type NativePool, type NativeResult, textQuery } from './native.ts'
import { refuseTransactionPooling, sharesSessions } from './pooler.ts'
import { inUse, isInUse, isUnreachable, namePostgres, refused, throwNamed } from './postgres-error.ts'
import { readOnlyReason, type ServerState, serverColumns, unsafeSettings } from './server-policy.ts'

/** Seen by the server's administrator, and by another svc that finds the database in use. */
export const applicationName = `svc, process ${process.pid} on ${hostname()}`

// Schemas of one database are databases of their own.
const lockKey = "hashtextextended('svc ' || current_schema(), 0)"
const tryLock = `select pg_try_advisory_lock(${lockKey})::int as locked`
const findHolder = `select a.application_name as holder from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = ${lockKey}`
// Waits for its end, in ms.
const endSession = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where pid = $1 and backend_start::text = $2'

// A commit is answered when it is on the disk of the server, whatever the role or the database say. Keeps remote_apply.
const inspect = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local', 'remote_write');
  select ${serverColumns}, pg_backend_pid() as pid,
    coalesce((select backend_start::text from pg_stat_activity where pid = pg_backend_pid()), '') as "startedAt",
    concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter)) as server`

/** Every transaction shares it until its end. The next process waits for it before it counts itself. Schemas share it: the wait is short. */
const fenceKey = '737663, 1'

// A role without the right to create tables may still use this one.
const findGenerations = "select 1 where to_regclass('svc_generation') is not null"
const createGenerations = 'create table svc_generation (one integer primary key check (one = 1), generation bigint not null)'
const nextGeneration = `begin; select pg_advisory_xact_lock(${fenceKey});
  insert into svc_generation (one, generation) values (1, 1)
  on conflict (one) do update set generation = svc_generation.generation + 1 returning generation; commit`
const currentGeneration = 'select generation from svc_generation'

/**
 * Begins a transaction, with the first savepoint, its number and the proof of the right to write, so that they cost no turn of the network.
 * The fence is taken by a statement of its own: the next one sees the count of a process that had it before.
 */
export const beginText = `begin isolation level read committed; select pg_advisory_xact_lock_shared(${fenceKey}); savepoint job;
  select pg_current_xact_id()::text as id, pg_backend_pid() as pid, generation from svc_generation`

/** Answer of `beginText`. */
export interface BeginRow {
  readonly id: string
  readonly pid: number
  readonly generation: number
}

/** Longest wait for the end of the session at a close. */
const endMsMax = 2000

/** Connections of the pool that are tried. */
const connectionsMax = 3

/** Sessions whose end is requested. Those before are long gone. */
const sessionsMax = 16

/** A session at the server, which uses process numbers again. */
interface Backend {
  readonly pid: number
  readonly startedAt: string
  /**
   * Another text after a start of the server, and after a recovery from a crash, which resets its statistics. Then the server may have
   * lost transactions whose commit was not answered, and given their numbers to others.
   */
  readonly server: string
}

interface SessionOptions extends Pick<OpenRequest, 'allowsUnsafe' | 'onWarning' | 'onStale'> {
  readonly pool: NativePool
  readonly name: string
}

/**
 * The one connection that writes. Its session holds the lock of the database (I-26), and after a lost connection the next session takes
 * the lock before it writes. If another svc had the lock since, it may have changed rows, and what this process keeps in memory is stale:
 * this process writes nothing more, and ends.
 */
export class WriterSession {
  readonly #options: SessionOptions
  #client: NativeClient | undefined
  /** The session of the last transactions. */
  #backend: Backend | undefined
  /** Sessions of this process that may have the lock: after a broken connection the server may keep them. */
  readonly #sessions: Backend[] = []
  /** Counts the processes that had the lock. */
  #generation: number | undefined
  #ended: Error | undefined
  #hasWarned = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** See `Backend.server`. Undefined before the first lock. */
  get server(): string | undefined {
    return this.#backend?.server
  }

  /** Connects and locks the database if necessary. */
  async client(): Promise<NativeClient> {
    if (this.#ended) throw this.#ended
    if (this.#client) return this.#client
    const client = await this.#connect()
    this.#client = client
    client.once('end', () => this.drop(client))
    return client
  }

  /** Locks the database, or waits for the svc that has it. */
  async lock(wait?: LockWait): Promise<void> {
    await lockOrWait(() => this.client(), isInUse, wait)
  }

  /**
   * I-39: throws when this process has not the right to write in the transaction that was begun: another svc has counted itself, or a
   * pooler gave the transaction a session without the lock. No other process counts itself before the transaction has ended.
   */
  prove({ pid, generation }: BeginRow): void {
    const { name } = this.#options
    if (pid !== this.#backend?.pid) throw this.end(refused(name, sharesSessions(name)))
    if (generation !== this.#generation) throw this.end(this.#overtaken())
  }

  /** Returns the error, which every later use of the session throws: what this process keeps in memory may be stale. */
  end(error: Error): Error {
    if (!this.#ended) this.#options.onStale?.(error)
    this.#ended ??= error
    return error
  }

  /** Closes this connection, which may be broken. The next transaction opens another. */
  drop(client: NativeClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.release(true)
  }

  /** Resolves when the server has ended the session, so that the next svc gets the lock at once, or has not done so in time. */
  async close(): Promise<void> {
    const client = this.#client
    if (!client) return
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, endMsMax)
    client.once('end', resolve)
    this.drop(client)
    await ended
    clearTimeout(timer)
  }

  /** Connections that the pool kept from migrations may be as broken as the last session: they are passed over. */
  async #connect(): Promise<NativeClient> {
    const { pool, name } = this.#options
    for (let tries = 1; ; tries++) {
      const client = await pool.connect().catch(throwNamed(name))
      try {
        const backend = await this.#inspect(client)
        // Before the lock, which a pooler would keep.
        await refuseTransactionPooling(client, backend.pid, pool, name)
        await this.#take(client, backend)
        await this.#count(client)
        this.#backend = backend
        return client
      } catch (error) {
        client.release(true)
        const shown = namePostgres(error, name)
        if (!isUnreachable(shown) || tries === connectionsMax) throw shown
      }
    }
  }

  /** Throws when the server takes no writes, or may lose those that it confirmed. */
  async #inspect(client: NativeClient): Promise<Backend> {
    const { name, allowsUnsafe = false, onWarning } = this.#options
    const state = lastRow<ServerState & Backend>(await client.query(textQuery(inspect)))
    if (!state) throw new Error('the server did not tell its settings')
    const readOnly = readOnlyReason(state)
    if (readOnly) throw refused(name, `the database ${name} takes no writes: ${readOnly.problem}; ${readOnly.repair}`)
    const unsafe = unsafeSettings(state)
    if (unsafe.length === 0) return state
    const problem = `the server of the database ${name} may lose writes: ${unsafe.map(({ problem }) => problem).join(', and ')}`
    const repair = unsafe.map(({ repair }) => repair).join(', ')
    if (!allowsUnsafe) throw refused(name, `${problem}; ${repair}, or database.allow_unsafe = true if all data may be lost`)
    if (!this.#hasWarned) onWarning?.(`${problem}; database.allow_unsafe accepts it`)
    this.#hasWarned = true
    return state
  }

  /** Records the session before it asks for the lock, whose answer may be lost. */
  async #take(client: NativeClient, backend: Backend): Promise<void> {
    const others = this.#sessions.slice(-sessionsMax)
    this.#sessions.splice(0, this.#sessions.length, ...others, backend)
    if (!(await this.#tryLock(client))) {
      for (const { pid, startedAt } of others) await client.query({ ...textQuery(endSession), values: [pid, startedAt] })
      if (!(await this.#tryLock(client))) {
        if (this.#generation !== undefined) await this.#compareCount(client)
        throw await this.#refusal(client)
      }
    }
    this.#sessions.splice(0, this.#sessions.length, backend)
  }

  async #tryLock(client: NativeClient): Promise<boolean> {
    return lastRow<{ readonly locked: number }>(await client.query(textQuery(tryLock)))?.locked === 1
  }

  /** The first session of the process counts it. */
  async #count(client: NativeClient): Promise<void> {
    if (this.#generation !== undefined) return this.#compareCount(client)
    if ((await client.query(textQuery(findGenerations))).rows.length === 0) await client.query(textQuery(createGenerations))
    this.#generation = generationOf(await client.query(textQuery(nextGeneration)))
  }

  async #compareCount(client: NativeClient): Promise<void> {
    if (generationOf(await client.query(textQuery(currentGeneration))) !== this.#generation) throw this.end(this.#overtaken())
  }

  #overtaken(): Error {
    const { name } = this.#options
    return inUse(name, `another svc used the database ${name} while this one had no connection to it; restart this svc`)
  }

  async #refusal(client: NativeClient): Promise<Error> {
    const { name } = this.#options
    const row = lastRow<{ readonly holder: string }>(await client.query(textQuery(findHolder)))
    const holder = row ? `another svc (${row.holder.replace(/^svc, /, '')})` : 'another svc'
    return inUse(name, `the database ${name} is in use by ${holder}; stop it first`)
  }
}

const generationOf = (answers: NativeResult | readonly NativeResult[]): number | undefined =>
  [answers]
    .flat()
    .flatMap(({ rows }) => rows as { readonly generation?: number }[])
    .find(({ generation }) => generation !== undefined)?.generation
