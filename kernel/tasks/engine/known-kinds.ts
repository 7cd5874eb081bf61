import type { ContributedItem } from '../../core/contributions.ts'
import type { TaskKind } from '../task.ts'

export interface KnownKind extends ContributedItem<TaskKind> {
  /** Failures after which a task of the kind is failed: the kind's own number, or the operator's setting. */
  readonly attemptsMax: number
}

/** The kinds that this process can run, by name. Filled when the engine starts. */
export class KnownKinds extends Map<string, KnownKind> {
  readonly #retriesMax: number

  constructor(retriesMax: number) {
    super()
    this.#retriesMax = retriesMax
  }

  /** Throws when two plugins define the same kind. */
  add(bound: readonly ContributedItem<TaskKind>[]): void {
    for (const kind of bound) {
      const other = this.get(kind.item.kind)
      if (other) throw new Error(`two plugins define the task kind '${kind.item.kind}': '${other.pluginId}' and '${kind.pluginId}'`)
      this.set(kind.item.kind, { ...kind, attemptsMax: kind.item.attempts ?? this.#retriesMax + 1 })
    }
  }
}
