import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { kernelErrors } from '../../errors.ts'
import type { LockWait } from '../../lock/data-lock.ts'
import { type NativeClient, type NativePool, textQuery } from './native.ts'
import { namePostgres } from './postgres-error.ts'

/** Seen by the server's administrator, and by another svc that finds the database in use. */
export const applicationName = `svc, process ${process.pid} on ${hostname()}`

// Schemas of one database are databases of their own.
const lockKey = "hashtextextended('svc ' || current_schema(), 0)"
const tryLock = `select pg_try_advisory_lock(${lockKey})::int as locked`
const findHolder = `select a.application_name as holder from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = ${lockKey}`

const pollMs = 200

/**
 * The one connection that writes. Its session holds the lock of the database (I-26): a transaction can be committed only while it is
 * held, and after a lost connection nothing is written before the next session has it.
 */
export class WriterSession {
  readonly #pool: NativePool
  readonly #name: string
  #client: NativeClient | undefined

  constructor(pool: NativePool, name: string) {
    this.#pool = pool
    this.#name = name
  }

  /** Connects and locks the database if necessary. */
  async client(): Promise<NativeClient> {
    if (this.#client) return this.#client
    const client = await this.#pool.connect().catch((error) => {
      throw namePostgres(error, this.#name)
    })
    try {
      const [row] = (await client.query(textQuery(tryLock))).rows as { locked: number }[]
      if (row?.locked !== 1) throw await this.#refusal(client)
    } catch (error) {
      client.release(true)
      throw namePostgres(error, this.#name)
    }
    this.#client = client
    return client
  }

  /** Locks the database, or waits for the svc that has it. */
  async lock({ ms, signal, onWait }: LockWait = { ms: 0 }): Promise<void> {
    const deadlineMs = performance.now() + ms
    for (let hasWaited = false; ; hasWaited = true) {
      try {
        await this.client()
        return
      } catch (error) {
        const isInUse = error instanceof Error && 'code' in error && error.code === 'service_unavailable'
        if (!isInUse || performance.now() >= deadlineMs) throw error
        if (!hasWaited) onWait?.(error.message)
        await pause(pollMs, undefined, signal ? { signal } : {})
      }
    }
  }

  /** Closes the connection, which may be broken. The next transaction opens another. */
  drop(): void {
    this.#client?.release(true)
    this.#client = undefined
  }

  async #refusal(client: NativeClient): Promise<Error> {
    const [row] = (await client.query(textQuery(findHolder))).rows as { holder: string }[]
    const holder = row ? `another svc (${row.holder.replace(/^svc, /, '')})` : 'another svc'
    return kernelErrors.service_unavailable({ message: `the database ${this.#name} is in use by ${holder}; stop it first` })
  }
}
