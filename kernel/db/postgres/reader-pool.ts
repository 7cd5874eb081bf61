import { within } from '../../core/within.ts'
import { kernelErrors } from '../../errors.ts'
import type { NativePool } from './native.ts'
import { isUnreachable, namePostgres, throwNamed } from './postgres-error.ts'
import type { Send } from './postgres-reader.ts'

interface ReaderLimits {
  /** Reads at the same time. The pool has one connection more. */
  readonly readers: number
  readonly waiting: number
  readonly waitMs: number
}

/**
 * Connections for reads. Counts them itself, because the pool does not tell a wait for a free connection from a server that does not
 * answer.
 */
export class ReaderPool {
  readonly #pool: NativePool
  readonly #name: string
  readonly #limits: ReaderLimits
  readonly #waiting: (() => void)[] = []
  #active = 0

  constructor(pool: NativePool, name: string, limits: ReaderLimits) {
    this.#pool = pool
    this.#name = name
    this.#limits = limits
  }

  /** Uses one connection. Rejects with `database_busy` when none becomes free in time. */
  async use<T>(work: (send: Send) => Promise<T>): Promise<T> {
    if (this.#active < this.#limits.readers) this.#active++
    else await this.#turn()
    try {
      return await this.reserved(work)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#active--
    }
  }

  /** Uses the connection beside those of the reads, for one caller at a time. After a lost answer it is closed. */
  async reserved<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch(throwNamed(this.#name))
    let isBroken = false
    const send: Send = (statement) =>
      client.query(statement).catch((error) => {
        const shown = namePostgres(error, this.#name)
        isBroken ||= isUnreachable(shown)
        throw shown
      })
    try {
      return await work(send)
    } finally {
      client.release(isBroken)
    }
  }

  /** Waits for the end of another read, which hands its place over. */
  async #turn(): Promise<void> {
    const { waiting, waitMs } = this.#limits
    if (this.#waiting.length >= waiting) throw kernelErrors.database_busy()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await within(waitMs, promise, () => {
      const at = this.#waiting.indexOf(resolve)
      // A missing entry was handed the place together with the deadline.
      if (at < 0) return
      this.#waiting.splice(at, 1)
      throw kernelErrors.database_busy()
    })
  }
}
