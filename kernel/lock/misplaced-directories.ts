import { join, resolve, sep } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import { type ConfigProblem, type LoadedConfig, locateAcross } from '../config/load.ts'
import type { Section, SettingsReader } from '../config/section.ts'
import type { OwnedDirectory } from './owned-directory.ts'

/**
 * Folders of plugins that contain the database or the configuration file: emptying or replacing such a folder would remove them. The rule
 * crosses sections, so no section checks it.
 */
export function findMisplacedDirectories(
  { path: configPath, values, sources }: Pick<LoadedConfig, 'path' | 'values' | 'sources'>,
  { dsn, directories }: { readonly dsn: string; readonly directories: readonly OwnedDirectory[] },
): readonly ConfigProblem[] {
  const inside = [
    ...(isPostgres(dsn) ? [] : [{ what: 'the database', path: databasePath(dsn) }]),
    { what: 'the configuration file', path: configPath },
  ]
  return directories.flatMap((directory) => {
    const { field } = directory
    const folder = resolve(directory.path(((section: Section) => values.get(section.path)) as SettingsReader))
    const contained = inside.find(({ path }) => resolve(path).startsWith(folder + sep))
    if (contained === undefined) return []
    const message = `must be a folder of its own, such as ${join(folder, 'cache')}: ${folder} contains ${contained.what} ${contained.path}`
    const read = new Map([field, 'database.dsn'].map((name) => [name, sources.get(name) ?? 'default'] as const))
    return [locateAcross({ field, message, blocks: 'setup' }, read)]
  })
}
