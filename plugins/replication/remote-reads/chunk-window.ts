/** @walk read 11: holds the chunks of one reader */
import { unlessAborted } from '#kernel'
import type { ChunkBudget, IdleReader } from './chunk-budget.ts'
import type { ChunkLease } from './shared-chunks.ts'

interface WindowDeps {
  readonly budget: ChunkBudget
  readonly lease: (position: number) => ChunkLease
  /** Returns undefined when memory is short. */
  readonly leaseAhead: (position: number) => ChunkLease | undefined
  readonly aheadMax: number
  readonly lastPosition: number
}

/** The chunks of one reader: the current one and a few of the next ones. */
export class ChunkWindow implements IdleReader, Disposable {
  readonly #deps: WindowDeps
  readonly #leases = new Map<number, ChunkLease>()
  /** Position of the chunk in use. */
  #current: number | undefined
  heldSinceMs = 0

  constructor(deps: WindowDeps) {
    this.#deps = deps
  }

  /** Bytes of the chunk at this position. Releases earlier chunks and prefetches some of the next ones. */
  async read(position: number, signal: AbortSignal): Promise<Uint8Array> {
    for (const [held, lease] of this.#leases) if (held < position) this.#release(held, lease)
    const known = this.#leases.get(position)
    if (known && this.#current === position) return known.bytes
    const lease = known ?? this.#deps.lease(position)
    this.#leases.set(position, lease)
    const bytes = await unlessAborted(lease.bytes, signal)
    this.#current = position
    this.heldSinceMs = performance.now()
    this.#fetchAhead(position)
    return bytes
  }

  /** Until `resume` the budget may take the chunks. */
  pause(): void {
    this.#deps.budget.pause(this)
  }

  resume(): void {
    this.#deps.budget.resume(this)
  }

  releaseChunks(): void {
    this.#current = undefined
    for (const [held, lease] of this.#leases) this.#release(held, lease)
  }

  [Symbol.dispose](): void {
    this.resume()
    this.releaseChunks()
  }

  #fetchAhead(position: number): void {
    const { aheadMax, lastPosition, leaseAhead } = this.#deps
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
