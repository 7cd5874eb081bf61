import type { ExtensionPoint } from './extension-point.ts'
import { defineService, type Resolved, type Uses } from './service.ts'

export interface ContributedItem<C> {
  readonly pluginId: string
  readonly item: C
  /** The services that the item's `uses` names. */
  readonly services: Resolved<Uses>
}

/** Reads extension points, for the plugin that owns one. */
export interface Contributions {
  /**
   * Contributions of the enabled plugins, in plugin order. Services are complete only after the start: call it inside a request or a run,
   * as often as necessary, because the kernel keeps the list.
   */
  to<C>(point: ExtensionPoint<C>): readonly ContributedItem<C>[]
}

export const contributions = defineService<Contributions>('kernel.contributions')
