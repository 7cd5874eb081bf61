import { storageErrors } from '../errors.ts'

/** Reservation step for bodies of unknown length. */
const stepBytes = 8 * 1024 * 1024
const retryAfterSeconds = 5

/** Cache bytes reserved for one body. Disposing releases what was not kept. */
export interface Reservation extends Disposable {
  /** Extends the reservation to at least `bytes`, and returns a promise only without space: it rejects with `cache_full` or `cache_busy`. */
  cover(bytes: number): Promise<never> | undefined
  /** Turns `usedBytes` of the reservation into used bytes and releases the rest. */
  keep(usedBytes: number): void
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

  /** Without `bytes` the length is unknown. Throws `cache_full` or `cache_busy`. */
  async reserve(bytes?: number): Promise<Reservation> {
    let held = 0
    const take = (more: number): void => {
      this.#reservedBytes += more
      held += more
    }
    const cover = (neededBytes: number): Promise<never> | undefined => {
      if (neededBytes <= held) return undefined
      if (neededBytes - held > this.freeBytes) return this.#refuse(neededBytes)
      // I-23: free bytes are taken in the turn of their check, because other bodies take them too.
      take(bytes === undefined ? Math.max(neededBytes - held, Math.min(stepBytes, this.freeBytes)) : neededBytes - held)
      return undefined
    }
    await cover(bytes ?? 1)
    return {
      cover,
      keep: (usedBytes) => {
        const before = this.#usedBytes
        this.#usedBytes += usedBytes
        take(-held)
        this.#trigger.onGrowth(before, this.#usedBytes)
      },
      [Symbol.dispose]: () => take(-held),
    }
  }

  /** Call after cached bytes were removed. */
  release(bytes: number): void {
    this.#usedBytes -= bytes
  }

  async #refuse(bytes: number): Promise<never> {
    const state = `${this.freeBytes} of ${this.maxBytes} bytes are free`
    if (bytes <= this.maxBytes && (await this.#trigger.requestEviction(bytes))) {
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
