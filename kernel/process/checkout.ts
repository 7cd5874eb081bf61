/** The commit of a git clone and the time of its checkout, read from the files of git: starting `git` would slow every command. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface CheckoutState {
  /** 40 or 64 hexadecimal digits, or `unknown`. */
  readonly commit: string
  /** ISO 8601 in UTC, or `unknown`. In a clone: when this commit was checked out. */
  readonly buildDate: string
}

/** The last line of the reference log is far shorter. */
const logTailBytes = 4096
/** A branch may be a symbolic reference to another. */
const referenceDepthMax = 5

/** Returns undefined where the directory is not the root of a git clone, as after unpacking a release. */
export function readCheckout(root: URL): CheckoutState | undefined {
  try {
    const gitDir = findGitDir(fileURLToPath(root))
    const commonDir = resolve(gitDir, readIfThere(join(gitDir, 'commondir'))?.trim() ?? '.')
    const commit = resolveReference('HEAD', [gitDir, commonDir])
    return { commit, buildDate: readCheckoutTime(gitDir, commit) }
  } catch {
    // Not a clone, or an unknown format: only the version is shown.
    return undefined
  }
}

/** `.git` is a directory, or in a linked worktree a file that names one. */
function findGitDir(root: string): string {
  const path = join(root, '.git')
  if (statSync(path).isDirectory()) return path
  return resolve(root, /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '')
}

function resolveReference(name: string, dirs: readonly string[], depth = 0): string {
  const text = dirs.map((dir) => readIfThere(join(dir, name))).find((found) => found !== undefined) ?? findPacked(name, dirs)
  const target = /^ref: (.+)$/m.exec(text)?.[1]
  if (target !== undefined && depth < referenceDepthMax) return resolveReference(target, dirs, depth + 1)
  const commit = text.trim()
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit)) throw new Error(`${name} names no commit`)
  return commit
}

function findPacked(name: string, dirs: readonly string[]): string {
  const lines = dirs.flatMap((dir) => readIfThere(join(dir, 'packed-refs'))?.split('\n') ?? [])
  return lines.find((line) => line.endsWith(` ${name}`))?.split(' ')[0] ?? ''
}

/** The reference log ends with `<old> <new> <name> <address> <seconds> <zone>\t<reason>`. */
function readCheckoutTime(gitDir: string, commit: string): string {
  const tail = readTail(join(gitDir, 'logs', 'HEAD'))
  const last = tail.trimEnd().split('\n').at(-1) ?? ''
  const [, to, seconds] = /^[0-9a-f]+ ([0-9a-f]+) .*> (\d+) [+-]\d{4}/.exec(last) ?? []
  return to === commit && seconds !== undefined ? new Date(Number(seconds) * 1000).toISOString() : 'unknown'
}

function readTail(path: string): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    // Git keeps no log where `core.logAllRefUpdates` is off.
    return ''
  }
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, logTailBytes))
    readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString()
  } finally {
    closeSync(file)
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
