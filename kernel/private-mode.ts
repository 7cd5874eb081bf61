import { chmodSync, lchownSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Rights of the group and of everyone else. */
const othersMask = 0o077

/** Takes the rights of the group and of everyone else from a file, where it is there and has the owner for it. */
export function makePrivate(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & othersMask) === 0) return
  try {
    chmodSync(file, mode & ~othersMask)
  } catch (cause) {
    // Of another owner: it can be used all the same.
    process.emitWarning(new Error(`${file} can be used by other users, and its mode cannot be changed`, { cause }))
  }
}

/** Makes a private directory with those above it. What root makes belongs to the owner of the directory it lies in, see `giveToOwner`. */
export function makePrivateDirectory(path: string): void {
  const first = mkdirSync(resolve(path), { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const made = [resolve(path)]
  for (let at = resolve(path); at !== first && at !== dirname(at); at = dirname(at)) made.unshift(dirname(at))
  for (const directory of made) giveToOwner(directory)
}

/**
 * Run by root, gives a file or directory to the owner of the directory it lies in: a `sudo svc migrate` must leave nothing behind that the
 * user of the service cannot open. A link is never followed.
 */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) lchownSync(path, uid, gid)
}
