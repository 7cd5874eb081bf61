import type { KnownKinds } from './known-kinds.ts'
import type { Lane } from './task.ts'

export type LaneLimits = Readonly<Record<Lane, number>>

type OfKind = { readonly kind: string }

/** Counts the running tasks of each lane. */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #kinds: KnownKinds

  constructor(limits: LaneLimits, kinds: KnownKinds) {
    this.#limits = limits
    this.#kinds = kinds
  }

  /** How many more runs of the kind its lane allows besides these; unlimited for a kind without a lane. */
  roomFor(kind: string, running: Iterable<OfKind>): number {
    const lane = this.#laneOf(kind)
    if (lane === undefined) return Number.POSITIVE_INFINITY
    let room = this.#limits[lane]
    for (const run of running) if (this.#laneOf(run.kind) === lane) room -= 1
    return room
  }

  #laneOf(kind: string): Lane | undefined {
    return this.#kinds.get(kind)?.item.lane
  }
}
