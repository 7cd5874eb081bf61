import { hostname } from 'node:os'
import { type LockWait, lockOrWait } from '../../lock/lock-wait.ts'
import { type NativeClient, type NativePool, textQuery } from './native.ts'
import { inUse, isInUse, isUnreachable, namePostgres, throwNamed } from './postgres-error.ts'

/** Seen by the server's administrator, and by another svc that finds the database in use. */
export const applicationName = `svc, process ${process.pid} on ${hostname()}`

// Schemas of one database are databases of their own.
const lockKey = "hashtextextended('svc ' || current_schema(), 0)"
const tryLock = `select pg_try_advisory_lock(${lockKey})::int as locked, pg_backend_pid() as pid,
  coalesce((select backend_start::text from pg_stat_activity where pid = pg_backend_pid()), '') as "startedAt",
  concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter)) as server`
const findHolder = `select a.application_name as holder from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = ${lockKey}`
// Waits for its end, in ms.
const endSession = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where pid = $1 and backend_start::text = $2'

// A role without the right to create tables may still use this one.
const findGenerations = "select 1 where to_regclass('svc_generation') is not null"
const createGenerations = 'create table svc_generation (one integer primary key check (one = 1), generation bigint not null)'
const nextGeneration = `insert into svc_generation (one, generation) values (1, 1)
  on conflict (one) do update set generation = svc_generation.generation + 1 returning generation`
const currentGeneration = 'select generation from svc_generation'

/** Longest wait for the end of the session at a close. */
const endMsMax = 2000

/** Connections of the pool that are tried. */
const connectionsMax = 3

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

/**
 * The one connection that writes. Its session holds the lock of the database (I-26): a transaction can be committed only while the
 * session lives, and after a lost connection the next session takes the lock before it writes. If another svc held the lock between
 * the two sessions, it may have changed rows, and what this process keeps in memory is stale: this process writes nothing more.
 */
export class WriterSession {
  readonly #pool: NativePool
  readonly #name: string
  #client: NativeClient | undefined
  /** The last session that had the lock: after a broken connection the server may keep it. */
  #backend: Backend | undefined
  /** Counts the processes that had the lock. */
  #generation: number | undefined
  #isOvertaken = false

  constructor(pool: NativePool, name: string) {
    this.#pool = pool
    this.#name = name
  }

  /** See `Backend.server`. Undefined before the first lock. */
  get server(): string | undefined {
    return this.#backend?.server
  }

  /** Connects and locks the database if necessary. */
  async client(): Promise<NativeClient> {
    if (this.#isOvertaken) throw this.#overtaken()
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
    for (let tries = 1; ; tries++) {
      const client = await this.#pool.connect().catch(throwNamed(this.#name))
      try {
        this.#backend = await this.#take(client)
        await this.#count(client)
        return client
      } catch (error) {
        client.release(true)
        const shown = namePostgres(error, this.#name)
        if (!isUnreachable(shown) || tries === connectionsMax) throw shown
      }
    }
  }

  async #take(client: NativeClient): Promise<Backend> {
    const first = await this.#tryLock(client)
    if (first) return first
    if (this.#backend) {
      const { pid, startedAt } = this.#backend
      await client.query({ ...textQuery(endSession), values: [pid, startedAt] })
      const second = await this.#tryLock(client)
      if (second) return second
    }
    throw await this.#refusal(client)
  }

  async #tryLock(client: NativeClient): Promise<Backend | undefined> {
    const [row] = (await client.query(textQuery(tryLock))).rows as (Backend & { readonly locked: number })[]
    return row?.locked === 1 ? row : undefined
  }

  async #count(client: NativeClient): Promise<void> {
    const isFirst = this.#generation === undefined
    if (isFirst && (await client.query(textQuery(findGenerations))).rows.length === 0) await client.query(textQuery(createGenerations))
    const { rows } = await client.query(textQuery(isFirst ? nextGeneration : currentGeneration))
    const generation = (rows as { generation: number }[])[0]?.generation
    this.#isOvertaken = !isFirst && generation !== this.#generation
    if (this.#isOvertaken) throw this.#overtaken()
    this.#generation = generation
  }

  #overtaken(): Error {
    return inUse(this.#name, `another svc used the database ${this.#name} while this one had no connection to it; restart this svc`)
  }

  async #refusal(client: NativeClient): Promise<Error> {
    const [row] = (await client.query(textQuery(findHolder))).rows as { holder: string }[]
    const holder = row ? `another svc (${row.holder.replace(/^svc, /, '')})` : 'another svc'
    return inUse(this.#name, `the database ${this.#name} is in use by ${holder}; stop it first`)
  }
}
