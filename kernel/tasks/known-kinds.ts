import type { Bound } from './engine.ts'
import type { TaskKind } from './task.ts'

/** The kinds that this process can run, by name. Filled when the engine starts. */
export class KnownKinds extends Map<string, Bound<TaskKind>> {
  /** Throws when two plugins define the same kind. */
  add(bound: readonly Bound<TaskKind>[]): void {
    for (const kind of bound) {
      const other = this.get(kind.item.kind)
      if (other) throw new Error(`two plugins define the task kind '${kind.item.kind}': '${other.pluginId}' and '${kind.pluginId}'`)
      this.set(kind.item.kind, kind)
    }
  }
}
