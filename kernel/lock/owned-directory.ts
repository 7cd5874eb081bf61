import type { SettingTable, SettingValues, TypedSection } from '../config/section.ts'
import { defineExtensionPoint } from '../extension-point.ts'
import type { PreparedKernel } from '../prepare.ts'

/** A directory whose files belong to one process at a time. */
interface OwnedDirectory {
  /** As in `the <label> <path> is in use`. */
  readonly label: string
  path(settings: PreparedKernel['settings']): string
  /** Names of the folders in it in which files are created. */
  readonly folders: readonly string[]
}

export const ownedDirectories = defineExtensionPoint<OwnedDirectory>('kernel.owned-directories')

export function defineOwnedDirectory<S extends SettingTable>(
  label: string,
  section: TypedSection<S>,
  pathOf: (settings: SettingValues<S>) => string,
  folders: readonly string[] = [],
): OwnedDirectory {
  return { label, folders, path: (settings) => pathOf(settings(section)) }
}
