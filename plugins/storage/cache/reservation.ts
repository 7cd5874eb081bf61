import { storageErrors } from '../errors.ts'

/** Reservation step for bodies of unknown length. */
const stepBytes = 8 * 1024 * 1024
const retryAfterSeconds = 5

/** Cache bytes reserved for one body. Disposing releases what was not kept. */
export interface Reservation extends Disposable {
  /**
   * Extends the reservation to at least `bytes`. Returns a promise only without space: it resolves when a fill of the cache gave up the
   * space, and otherwise rejects with `cache_full` or `cache_busy`.
   */
  cover(bytes: number): Promise<void> | undefined
  /** Turns `usedBytes` of the reservation into used bytes and releases the rest. */
  keep(usedBytes: number): void
}

/** Space reserved for a fill of the cache, until a body needs it. Disposing returns it. */
export interface Loan extends Disposable {
  /** Turns `usedBytes` of the loan into used bytes and returns the rest. */
  keep(usedBytes: number): void
}

interface LentBytes {
  readonly bytes: number
  /** Ends the fill. Resolves when its loan is disposed. */
  giveBack(): Promise<void>
}

/** The evictor, as seen from the capacity accounting. */
interface EvictionTrigger {
  /** Called when a body of `bytes` does not fit. Returns whether an eviction for it is running or enqueued. */
  requestEviction(bytes: number): Promise<boolean>
  onGrowth(beforeBytes: number, afterBytes: number): void
}

/** Accounts used and reserved bytes of the cache. Their sum never exceeds the capacity (I-23). */
export class Capacity {
  readonly maxBytes: number
  readonly #trigger: EvictionTrigger
  #usedBytes: number
  #reservedBytes = 0
  readonly #loans = new Set<LentBytes>()
  /** Bodies that wait for loans: while there are any, no bytes are lent. */
  #recalls = 0

  constructor(maxBytes: number, usedBytes: number, trigger: EvictionTrigger) {
    this.maxBytes = maxBytes
    this.#usedBytes = usedBytes
    this.#trigger = trigger
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  get reservedBytes(): number {
    return this.#reservedBytes
  }

  get freeBytes(): number {
    return Math.max(0, this.maxBytes - this.#usedBytes - this.#reservedBytes)
  }

  /** The reserved bytes that fills hold. */
  get lentBytes(): number {
    return [...this.#loans].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get loansCount(): number {
    return this.#loans.size
  }

  /** Without `bytes` the length is unknown. Throws `cache_full` or `cache_busy`. */
  async reserve(bytes?: number): Promise<Reservation> {
    let held = 0
    const take = (more: number): void => {
      this.#reservedBytes += more
      held += more
    }
    const takeFree = (neededBytes: number): boolean => {
      if (neededBytes - held > this.freeBytes) return false
      // I-23: free bytes are taken in the turn of their check, because other bodies take them too.
      take(bytes === undefined ? Math.max(neededBytes - held, Math.min(stepBytes, this.freeBytes)) : neededBytes - held)
      return true
    }
    const cover = (neededBytes: number): Promise<void> | undefined =>
      neededBytes <= held || takeFree(neededBytes) ? undefined : wait(neededBytes)
    const wait = async (neededBytes: number): Promise<void> => {
      const isReturned = await this.#recallLoans(neededBytes - held)
      if (!isReturned || !takeFree(neededBytes)) await this.#refuse(neededBytes)
    }
    await cover(bytes ?? 1)
    return {
      cover,
      keep: (usedBytes) => {
        take(-held)
        this.#use(usedBytes)
      },
      [Symbol.dispose]: () => take(-held),
    }
  }

  /** Reserves space for a fill; undefined unless used and reserved bytes stay below `limitBytes`. A body that needs it calls `giveBack`. */
  lend(bytes: number, limitBytes: number, giveBack: () => Promise<void>): Loan | undefined {
    if (this.#recalls > 0 || this.#usedBytes + this.#reservedBytes + bytes >= limitBytes) return undefined
    const lent: LentBytes = { bytes, giveBack }
    this.#loans.add(lent)
    this.#reservedBytes += bytes
    const end = (): void => {
      if (this.#loans.delete(lent)) this.#reservedBytes -= bytes
    }
    return {
      keep: (usedBytes) => {
        end()
        this.#use(usedBytes)
      },
      [Symbol.dispose]: end,
    }
  }

  /** Call after cached bytes were removed. */
  release(bytes: number): void {
    this.#usedBytes -= bytes
  }

  #use(bytes: number): void {
    const before = this.#usedBytes
    this.#usedBytes += bytes
    this.#trigger.onGrowth(before, this.#usedBytes)
  }

  /** Ends all fills when a body of `bytes` then fits, and waits for their space. Returns whether it did. */
  async #recallLoans(bytes: number): Promise<boolean> {
    const { freeBytes, lentBytes } = this
    if (lentBytes === 0 || bytes > freeBytes + lentBytes) return false
    this.#recalls += 1
    try {
      await Promise.all([...this.#loans].map((lent) => lent.giveBack()))
    } finally {
      this.#recalls -= 1
    }
    return true
  }

  async #refuse(bytes: number): Promise<never> {
    if (bytes > this.maxBytes) {
      throw storageErrors.cache_full({
        message: `${bytes} bytes are more than the whole cache of ${this.maxBytes} bytes; raise cache.max_size_gb`,
      })
    }
    const state = `${this.freeBytes} of ${this.maxBytes} bytes are free`
    if (await this.#trigger.requestEviction(bytes)) {
      throw storageErrors.cache_busy({
        message: `the cache has no space for ${bytes} bytes now: ${state}; retry later`,
        retryAfterSeconds,
      })
    }
    throw storageErrors.cache_full({
      message: `the cache has no space for ${bytes} bytes: ${state}, and no cached object can be evicted yet; raise cache.max_size_gb`,
    })
  }
}
