import type { ChunkBudget, RestingReader } from './chunk-budget.ts'
import type { ChunkLease } from './shared-chunks.ts'

export interface WindowDoors {
  readonly budget: ChunkBudget
  readonly lease: (position: number) => ChunkLease
  /** Undefined when memory is short. */
  readonly leaseAhead: (position: number) => ChunkLease | undefined
  readonly aheadMax: number
  readonly lastPosition: number
}

/** The chunks that one reader holds: the one that it reads, and a few of the next ones. */
export class ChunkWindow implements RestingReader, Disposable {
  readonly #doors: WindowDoors
  readonly #leases = new Map<number, ChunkLease>()
  /** The position whose bytes have been given out. */
  #current: number | undefined
  heldSinceMs = 0

  constructor(doors: WindowDoors) {
    this.#doors = doors
  }

  /** The bytes at this position; earlier chunks are released, and some of the next ones are fetched. */
  async read(position: number, signal: AbortSignal): Promise<Uint8Array> {
    for (const [held, lease] of this.#leases) if (held < position) this.#release(held, lease)
    const known = this.#leases.get(position)
    if (known && this.#current === position) return known.bytes
    const lease = known ?? this.#doors.lease(position)
    this.#leases.set(position, lease)
    const bytes = await unlessAborted(lease.bytes, signal)
    this.#current = position
    this.heldSinceMs = performance.now()
    this.#fetchAhead(position)
    return bytes
  }

  /** From here to `resume` the chunks may be given back. */
  rest(): void {
    this.#doors.budget.rest(this)
  }

  resume(): void {
    this.#doors.budget.resume(this)
  }

  giveBack(): void {
    this.#current = undefined
    for (const [held, lease] of this.#leases) this.#release(held, lease)
  }

  [Symbol.dispose](): void {
    this.resume()
    this.giveBack()
  }

  #fetchAhead(position: number): void {
    const { aheadMax, lastPosition, leaseAhead } = this.#doors
    for (let next = position + 1; next <= Math.min(position + aheadMax, lastPosition); next++) {
      if (this.#leases.has(next)) continue
      const lease = leaseAhead(next)
      if (!lease) return
      this.#leases.set(next, lease)
    }
  }

  #release(held: number, lease: ChunkLease): void {
    this.#leases.delete(held)
    lease.release()
  }
}

/** The promise, or the signal's reason as soon as it aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
