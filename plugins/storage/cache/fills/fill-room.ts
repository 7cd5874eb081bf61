import type { Clock } from '#kernel'
import type { EvictionRules } from '../capacity/eviction-policy.ts'
import type { Evictor } from '../capacity/evictor.ts'
import type { Capacity, Loan } from '../capacity/reservation.ts'
import type { FillLimits } from './fill-policy.ts'

interface RoomDeps {
  readonly capacity: Capacity
  readonly evictor: Pick<Evictor, 'makeRoom'>
  readonly rules: EvictionRules
  readonly clock: Clock
  readonly limits: FillLimits
}

interface WantedRoom {
  readonly contentId: number
  readonly bytes: number
  /** Ends the fill and resolves when its loan is disposed. */
  giveBack(): Promise<void>
}

/**
 * Room for fills: free space below the high watermark, or that of contents which were read less recently. The first read of a content
 * without room is only remembered; its next read displaces contents that were not read since. So one pass over many contents that are
 * not cached displaces nothing.
 */
export class FillRoom {
  readonly #deps: RoomDeps
  /** Times of reads that found no room, by content id, oldest first. */
  readonly #refused = new Map<number, number>()

  constructor(deps: RoomDeps) {
    this.#deps = deps
  }

  async take(wanted: WantedRoom): Promise<Loan | undefined> {
    const { capacity, rules, evictor } = this.#deps
    if (rules.policy !== 'lru' || !this.#isInBudget(wanted.bytes)) return undefined
    const loan = this.#lend(wanted, rules.highBytes)
    if (loan) return loan
    const readBeforeMs = this.#remember(wanted.contentId)
    const excessBytes = capacity.usedBytes + capacity.reservedBytes + wanted.bytes - (rules.highBytes - 1)
    if (readBeforeMs === undefined || !(await evictor.makeRoom(excessBytes, readBeforeMs))) return undefined
    // Other fills may have begun during the wait.
    return this.#isInBudget(wanted.bytes) ? this.#lend(wanted, rules.highBytes) : undefined
  }

  #isInBudget(bytes: number): boolean {
    const { capacity, limits } = this.#deps
    return capacity.loansCount < limits.fillsMax && capacity.lentBytes + bytes <= capacity.maxBytes * limits.capacityShare
  }

  #lend({ contentId, bytes, giveBack }: WantedRoom, highBytes: number): Loan | undefined {
    const loan = this.#deps.capacity.lend(bytes, highBytes, giveBack)
    if (loan) this.#refused.delete(contentId)
    return loan
  }

  /** Returns the time of the read before this one. */
  #remember(contentId: number): number | undefined {
    const beforeMs = this.#refused.get(contentId)
    this.#refused.delete(contentId)
    this.#refused.set(contentId, this.#deps.clock.now())
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= this.#deps.limits.rememberedMax) break
      this.#refused.delete(oldest)
    }
    return beforeMs
  }
}
