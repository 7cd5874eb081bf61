/** What other plugins may add to the admin plugin. */
import { defineExtensionPoint } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'

/** Members that a plugin adds to the overview, such as `providers` to `chain_storage_health`. */
interface OverviewPart<U extends Uses = Uses> {
  readonly name: string
  /** Member of the overview that the result is merged into; it may be a new one. */
  readonly into: string
  readonly uses: U
  /** Must be cheap: the dashboard polls every few seconds. An error is logged and the part left out. */
  summarise(services: Resolved<U>): object | Promise<object>
}

export const overviewParts = defineExtensionPoint<OverviewPart>('admin.overview')

export function defineOverviewPart<const U extends Uses>(spec: OverviewPart<U>): OverviewPart {
  return spec as unknown as OverviewPart
}

/** Defaults that depend on another setting, such as the chain node of each network. */
interface SettingDefaults {
  /** Member of `defaults` in the settings. */
  readonly name: string
  load(): Promise<unknown>
}

export const settingDefaults = defineExtensionPoint<SettingDefaults>('admin.setting-defaults')
