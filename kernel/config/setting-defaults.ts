import { defineExtensionPoint } from '../core/extension-point.ts'

/** Defaults of a setting that depend on other settings, such as the chain node of each network. */
interface SettingDefaults {
  /** Member of `defaults` in the settings of the Admin API. */
  readonly name: string
  load(): Promise<unknown>
  /** Dotted path of the setting. */
  readonly field: string
  /** Its default with these values by dotted path; undefined where they determine none. */
  defaultWith(values: ReadonlyMap<string, unknown>): Promise<string | undefined>
}

export const settingDefaults = defineExtensionPoint<SettingDefaults>('config.setting-defaults')
