import { globSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

/**
 * What `npm test` hands to vitest for one argument: of a folder its test files. vitest matches the path of a folder anywhere in a path, so
 * `cli` would also mean `e2e/cli`.
 */
export function toFilters(argument: string): readonly string[] {
  const stats = statSync(argument, { throwIfNoEntry: false })
  if (argument.startsWith('-') || stats === undefined) return [argument]
  if (!stats.isDirectory()) return [resolve(argument)]
  const files = globSync('**/*.test.{ts,tsx}', { cwd: argument, exclude: ['**/node_modules'] }).map((file) => resolve(argument, file))
  // Vitest must report that it found none if the folder has no test file.
  return files.length === 0 ? [resolve(argument) + sep] : files
}
