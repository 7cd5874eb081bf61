import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { uiFolder } from './build-paths.ts'
import type { UiSource } from './plugin-uis.ts'

/** Folders of a build beside the sources, and of packages. */
const notSources = /^(dist|dist-draft|dist-old|node_modules)$/

/** All files of a folder but tests. Only the folders of builds directly in it are left out: a source may have any name. */
export const listSources = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !(entry.isDirectory() && notSources.test(entry.name)))
    .flatMap((entry) => (entry.isDirectory() ? readdirSync(join(folder, entry.name), { withFileTypes: true, recursive: true }) : entry))
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Everything that decides what a build contains; contracts are types only. */
export function hashSources(sources: readonly UiSource[]): string {
  const folders = [uiFolder, ...sources.map(({ module }) => dirname(module))]
  const hash = createHash('sha256').update(process.version)
  for (const folder of folders) {
    for (const file of listSources(folder))
      hash
        .update(`${relative(folder, file)}\0`)
        .update(readFileSync(file))
        .update('\0')
  }
  // The copy of the sources that `svc plugins build` makes has another place each time, and no lockfile.
  const places = sources.map(({ plugin, module }) => [plugin, relative(uiFolder, module)])
  const lockfile = join(uiFolder, '../package-lock.json')
  return hash
    .update(JSON.stringify(places))
    .update(existsSync(lockfile) ? readFileSync(lockfile) : '')
    .digest('hex')
}
