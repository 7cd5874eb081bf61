// Enables the compile cache of Node in a folder of this user. Node's default is in the temporary folder, where another user could place code.
// Plain JavaScript, because it runs before the TypeScript loader.
import { lstatSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import process from 'node:process'

const writableByOthers = 0o022

export function enableCompileCache() {
  // Node has enabled the one that the operator chose.
  if (process.env.NODE_COMPILE_CACHE) return
  const dir = privateCompileCache()
  if (dir !== undefined) module.enableCompileCache(dir)
}

/** Made when absent. Undefined: another user can write to it, or it cannot be made; svc then starts without the cache. */
export function privateCompileCache() {
  const { XDG_CACHE_HOME = '' } = process.env
  try {
    const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    makeDir(base)
    const own = makeDir(join(base, 'svc'))
    const dir = makeDir(join(own, 'compile-cache'))
    return isPrivate(own) && isPrivate(dir) ? dir : undefined
  } catch {
    // The home may be read-only or absent: the cache saves time only.
    return undefined
  }
}

/** Not recursive: a home that does not exist is not made. */
function makeDir(path) {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  return path
}

function isPrivate(path) {
  // A symbolic link is judged itself: it is not a directory.
  const stats = lstatSync(path)
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & writableByOthers) === 0
}
