/** The TypeScript files of the project with their texts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface SourceFile {
  /** Relative to the project root. */
  readonly path: string
  readonly text: string
}

const folders = ['kernel', 'plugins', 'cli', 'devnet', 'e2e', 'bench', 'tools', 'examples', 'ui']

let sources: readonly SourceFile[] | undefined

/** Reads the files once; all checks and pages of a run see the same texts. */
export function readSources(): readonly SourceFile[] {
  sources ??= folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  )
  return sources
}
