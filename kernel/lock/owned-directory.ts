import type { SettingsReader, SettingTable, TypedSection } from '../config/section.ts'
import type { Setting } from '../config/setting.ts'
import { defineExtensionPoint } from '../core/extension-point.ts'

/** A directory whose files belong to one process at a time. */
export interface OwnedDirectory {
  /** Dotted path of the setting that names it. */
  readonly field: string
  /** Word in `the <label> <path> is in use`. */
  readonly label: string
  path(settings: SettingsReader): string
  /** Names of the folders in it in which files are created. */
  readonly folders: readonly string[]
}

export const ownedDirectories = defineExtensionPoint<OwnedDirectory>('kernel.owned-directories')

/** `key`: the setting of the section that names it. */
export function defineOwnedDirectory<S extends SettingTable, K extends string & keyof S>(
  label: string,
  section: TypedSection<S> & { readonly keys: Readonly<Record<K, Setting<string>>> },
  key: K,
  folders: readonly string[] = [],
): OwnedDirectory {
  return { label, field: `${section.path}.${key}`, folders, path: (settings) => settings(section)[key] as string }
}
