/** @walk put 11: reserves room in the cache */
import { storageErrors } from '../../errors.ts'
import { type UserShare, UserShares } from './user-shares.ts'

/** The room of a body whose bytes arrive: as much ahead as it has sent, within these limits. A sender of nothing takes nearly nothing. */
const aheadBytes = { min: 256 * 1024, max: 8 * 1024 * 1024 } as const
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

/** A body whose bytes arrive from a sender. */
export interface ArrivingBody {
  /** Declared. */
  readonly size?: number | undefined
  /** Whose bodies share room. Absent: of svc itself. */
  readonly user?: string | undefined
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
  readonly #shares = new UserShares()
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

  /** Throws `cache_full` or `cache_busy`. */
  async reserve(bytes: number): Promise<Reservation> {
    const reservation = this.#open()
    await reservation.cover(bytes)
    return reservation
  }

  /**
   * Room for a body is taken as its bytes arrive, so that a slow sender holds only what it has sent. A declared body that does not fit into
   * the free room now is refused before it is read. Throws `cache_full` or `cache_busy`, as `cover` does when others took the room.
   */
  async reserveArriving({ size, user }: ArrivingBody): Promise<Reservation> {
    const isFree = () => (size ?? 1) <= this.freeBytes
    if (!isFree() && !((await this.#recallLoans(size ?? 1)) && isFree())) await this.#refuse(size ?? 1)
    const share = this.#shares.join(user)
    const reservation = this.#open((covered) => Math.min(covered + clamp(covered, aheadBytes), size ?? Infinity), share)
    try {
      await reservation.cover(Math.min(size ?? 1, 1))
      return reservation
    } catch (error) {
      reservation[Symbol.dispose]()
      throw error
    }
  }

  /** `aimAt`: what to hold, if it is free, to cover these bytes. */
  #open(aimAt: (coveredBytes: number) => number = (coveredBytes) => coveredBytes, share?: UserShare): Reservation {
    let held = 0
    const take = (more: number): void => {
      this.#reservedBytes += more
      held += more
      share?.take(more)
    }
    const isAllowed = (more: number) => share === undefined || share.mayTake(more, this.maxBytes - this.#usedBytes)
    const takeFree = (neededBytes: number): boolean => {
      if (neededBytes - held > this.freeBytes) return false
      // I-23: free bytes are taken in the turn of their check, because other bodies take them too.
      take(Math.max(neededBytes, Math.min(aimAt(neededBytes), held + this.freeBytes)) - held)
      return true
    }
    const cover = (neededBytes: number): Promise<void> | undefined =>
      neededBytes <= held || (isAllowed(neededBytes - held) && takeFree(neededBytes)) ? undefined : wait(neededBytes)
    const wait = async (neededBytes: number): Promise<void> => {
      if (!isAllowed(neededBytes - held)) {
        // Evicted bytes make the share larger.
        await this.#trigger.requestEviction(neededBytes - held)
        throw overShare()
      }
      const isReturned = await this.#recallLoans(neededBytes - held)
      if (!isReturned || !takeFree(neededBytes)) await this.#refuse(neededBytes, held)
    }
    const end = (): void => {
      take(-held)
      share?.leave()
    }
    return {
      cover,
      keep: (usedBytes) => {
        end()
        this.#use(usedBytes)
      },
      [Symbol.dispose]: end,
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

  async #refuse(bytes: number, heldBytes = 0): Promise<never> {
    if (bytes > this.maxBytes) {
      throw storageErrors.cache_full({
        message: `${bytes} bytes are more than the whole cache of ${this.maxBytes} bytes; raise cache.max_size_gb`,
      })
    }
    const state = `${this.freeBytes} of ${this.maxBytes} bytes are free`
    if (await this.#trigger.requestEviction(bytes - heldBytes)) {
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

const clamp = (value: number, { min, max }: { readonly min: number; readonly max: number }): number => Math.min(Math.max(value, min), max)

const overShare = (): Error =>
  storageErrors.cache_busy({
    message: 'the unfinished uploads of this user hold half of the room in the cache; finish or abort some, and retry later',
    retryAfterSeconds,
  })
