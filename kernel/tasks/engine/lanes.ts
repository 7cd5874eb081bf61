import type { ContributedItem } from '../../core/contributions.ts'
import type { TaskLane } from '../task.ts'
import type { KnownKinds } from './known-kinds.ts'

type OfKind = { readonly kind: string }

/** Counts the running tasks of each lane. */
export class Lanes {
  readonly #limits = new Map<string, number>()
  readonly #kinds: KnownKinds

  constructor(kinds: KnownKinds) {
    this.#kinds = kinds
  }

  /** Throws when two plugins define the same lane, and when a kind names an unknown one. */
  add(lanes: readonly ContributedItem<TaskLane>[]): void {
    for (const { item, services } of lanes) {
      if (this.#limits.has(item.name)) throw new Error(`two plugins define the task lane '${item.name}'`)
      this.#limits.set(item.name, item.concurrency(services))
    }
    for (const { item } of this.#kinds.values()) {
      if (item.lane !== undefined && !this.#limits.has(item.lane))
        throw new Error(`the task kind '${item.kind}' runs in the lane '${item.lane}', which no enabled plugin defines`)
    }
  }

  /** How many more runs of the kind its lane allows besides these; unlimited for a kind without a lane. */
  roomFor(kind: string, running: Iterable<OfKind>): number {
    const lane = this.#laneOf(kind)
    if (lane === undefined) return Number.POSITIVE_INFINITY
    let room = this.#limits.get(lane) ?? 0
    for (const run of running) if (this.#laneOf(run.kind) === lane) room -= 1
    return room
  }

  #laneOf(kind: string): string | undefined {
    return this.#kinds.get(kind)?.item.lane
  }
}
