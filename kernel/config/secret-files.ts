import { dirname, join } from 'node:path'
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { SettingsReader, SettingTable, SettingValues, TypedSection } from './section.ts'

/** A file with a secret that a setting names, such as a private key. It may belong to another user than that of svc. */
interface SecretFile {
  /** Returns undefined when the setting names none. */
  path(settings: SettingsReader): string | undefined
}

export const secretFiles = defineExtensionPoint<SecretFile>('kernel.secret-files')

export function defineSecretFile<S extends SettingTable>(
  section: TypedSection<S>,
  pathOf: (settings: SettingValues<S>) => string | undefined,
): SecretFile {
  return { path: (settings) => pathOf(settings(section)) }
}

export const initialPasswordPath = (configPath: string): string => join(dirname(configPath), 'admin-initial-password')
