import { chmodSync, lchownSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Permissions of the group and of other users. */
const othersMask = 0o077

/** Removes the permissions of the group and of other users from a file. A missing file is ignored; without ownership it warns. */
export function makePrivate(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & othersMask) === 0) return
  try {
    chmodSync(file, mode & ~othersMask)
  } catch (cause) {
    // Owned by another user: still usable.
    process.emitWarning(new Error(`${file} can be used by other users, and its mode cannot be changed`, { cause }))
  }
}

/** Creates a private directory and its parents. Directories created by root get the owner of their parent, see `giveToOwner`. */
export function makePrivateDirectory(path: string): void {
  const first = mkdirSync(resolve(path), { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const made = [resolve(path)]
  for (let at = resolve(path); at !== first && at !== dirname(at); at = dirname(at)) made.unshift(dirname(at))
  for (const directory of made) giveToOwner(directory)
}

/**
 * Sets, as root, the owner of a file or directory to the owner of its parent, so that the service user can open everything that a
 * `sudo svc migrate` created. Does not follow links.
 */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) lchownSync(path, uid, gid)
}
