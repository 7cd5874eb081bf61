import type { ExtensionPoint } from '#kernel'
import type { Contributions } from '#kernel/system'

/** A contributed item with the services that it uses. */
export interface Attached<C> {
  readonly item: C
  readonly services: unknown
}

/** Reads an extension point once, at the first use: services are complete only after the start, and some points are read for each put. */
export function attachedTo<C>(contributions: Contributions, point: ExtensionPoint<C>): () => readonly Attached<C>[] {
  let attached: readonly Attached<C>[] | undefined
  return () => {
    attached ??= contributions.to(point)
    return attached
  }
}
