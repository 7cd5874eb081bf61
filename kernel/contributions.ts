import type { ExtensionPoint } from './extension-point.ts'
import { defineService } from './service.ts'

export interface ContributedItem<C> {
  readonly pluginId: string
  readonly item: C
  /** The services that the item's `uses` asked for. */
  readonly services: unknown
}

/** Reads extension points, for the plugin that owns one. */
export interface Contributions {
  /** What the enabled plugins gave, in plugin order. Services are complete only after the start: read it when a request or a run needs it. */
  to<C>(point: ExtensionPoint<C>): readonly ContributedItem<C>[]
}

export const contributions = defineService<Contributions>('kernel.contributions')
