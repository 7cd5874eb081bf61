import { storageErrors } from '../errors.ts'

/** Room is taken in steps of this size while the length of a body is unknown. */
const stepBytes = 8 * 1024 * 1024
const retryAfterSeconds = 5

/** Bytes set aside for one body. Disposing gives back what was not kept. */
export interface Reservation extends Disposable {
  /** Makes sure that at least `bytes` are set aside. Throws `cache_full` or `cache_busy`. */
  cover(bytes: number): void
  /** The body is cached: `usedBytes` of the room stay in use, the rest is free again. */
  keep(usedBytes: number): void
}

/** Who makes room when it is short. */
export interface Pressure {
  /** A body of so many bytes does not fit. Is room being made for it? */
  askForRoom(bytes: number): boolean
  noteGrowth(beforeBytes: number, afterBytes: number): void
}

/** How much of the cache is in use and promised. Both together never exceed the capacity (I-23). */
export class Capacity {
  readonly maxBytes: number
  readonly #pressure: Pressure
  #usedBytes: number
  #reservedBytes = 0

  constructor(maxBytes: number, usedBytes: number, pressure: Pressure) {
    this.maxBytes = maxBytes
    this.#usedBytes = usedBytes
    this.#pressure = pressure
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

  /** Absent bytes: the length is not known yet. Throws `cache_full` or `cache_busy`. */
  reserve(bytes?: number): Reservation {
    let held = 0
    const take = (more: number): void => {
      this.#reservedBytes += more
      held += more
    }
    const cover = (wanted: number): void => {
      if (wanted <= held) return
      if (wanted - held > this.freeBytes) throw this.#refusal(wanted)
      take(bytes === undefined ? Math.max(wanted - held, Math.min(stepBytes, this.freeBytes)) : wanted - held)
    }
    cover(bytes ?? 1)
    return {
      cover,
      keep: (usedBytes) => {
        const before = this.#usedBytes
        this.#usedBytes += usedBytes
        take(-held)
        this.#pressure.noteGrowth(before, this.#usedBytes)
      },
      [Symbol.dispose]: () => take(-held),
    }
  }

  /** Cached bytes were removed. */
  release(bytes: number): void {
    this.#usedBytes -= bytes
  }

  #refusal(bytes: number): Error {
    const state = `${this.freeBytes} of ${this.maxBytes} bytes are free`
    if (bytes <= this.maxBytes && this.#pressure.askForRoom(bytes)) {
      return storageErrors.cache_busy({ message: `the cache has no room for ${bytes} bytes now: ${state}`, retryAfterSeconds })
    }
    return storageErrors.cache_full({
      message: `the cache has no room for ${bytes} bytes: ${state}, and nothing in it may be removed yet; raise cache.max_size_gb`,
    })
  }
}
