import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { uiFolder } from './build-paths.ts'
import type { UiSource } from './plugin-uis.ts'

/** Everything that decides what a build contains; contracts are types only. */
export function hashSources(sources: readonly UiSource[]): string {
  const folders = [uiFolder, ...sources.map(({ module }) => dirname(module))]
  const hash = createHash('sha256').update(process.version)
  for (const folder of folders) {
    const files = globSync('**/*', { cwd: folder, withFileTypes: true, exclude: ({ name }) => /^(dist.*|node_modules)$/.test(name) })
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    for (const file of files)
      hash
        .update(`${relative(folder, file)}\0`)
        .update(readFileSync(file))
        .update('\0')
  }
  return hash
    .update(JSON.stringify(sources))
    .update(readFileSync(join(uiFolder, '../package-lock.json')))
    .digest('hex')
}
