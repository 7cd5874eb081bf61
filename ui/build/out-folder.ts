import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { indexName, stampName, uiFolder } from './build-paths.ts'

/**
 * The folder of `--out`, which a build replaces. Throws unless it is absent, empty or an earlier build.
 * @param home with the sources of the dashboard
 */
export function resolveOutFolder(out: string, home: string = uiFolder): string {
  if (out.trim() === '') throw new Error('--out is empty: name a folder')
  const folder = realPath(resolve(out))
  const ui = realpathSync(home)
  if (isWithin(ui, folder) || isWithin(folder, ui))
    throw new Error(`${folder} holds the sources of svc or is one of them: name another folder`)
  if (!isReplaceable(folder))
    throw new Error(`${folder} has files that are not an earlier build of the dashboard: name another folder, or empty it yourself`)
  return folder
}

function isReplaceable(folder: string): boolean {
  if (!existsSync(folder)) return true
  if (!statSync(folder).isDirectory()) return false
  const names = readdirSync(folder)
  return names.length === 0 || [stampName, indexName].every((name) => names.includes(name))
}

/** Resolves a folder that does not exist yet, too. */
const realPath = (path: string): string =>
  existsSync(path) || dirname(path) === path ? realpathSync(path) : join(realPath(dirname(path)), basename(path))

const isWithin = (path: string, folder: string): boolean => !/^\.\.(?:[\\/]|$)/.test(relative(folder, path))
