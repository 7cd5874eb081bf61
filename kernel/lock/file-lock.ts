import { accessSync, constants, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writePrivateFile } from '../config/file.ts'
import { formatTime } from '../core/clock.ts'
import { giveToOwner, makePrivate, makePrivateDirectory } from '../process/private-mode.ts'

/** The process that holds a lock. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** RFC 3339. */
  readonly since: string
}

/** Thrown when another process, or another owner in this one, holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
  readonly holder: LockHolder | undefined

  constructor(path: string, { cause, holder }: { readonly cause: unknown; readonly holder: LockHolder | undefined }) {
    super(`the lock ${path} is held`, { cause })
    this.holder = holder
  }
}

const sqliteBusy = 5

/**
 * Takes the lock at `path` until it is disposed or the process ends. The lock is SQLite's own file lock on an empty database: the
 * operating system frees it with the process, so no lock is ever stale. The file stays behind, because removing it would let two
 * processes lock two files of the same name.
 * A lock file created by root gets the owner of its directory.
 * Nothing else in the process may open the file: closing any descriptor of it frees a POSIX lock. Its holder is therefore noted beside it.
 */
export function lockFile(path: string): Disposable {
  makePrivateDirectory(dirname(path))
  const holderPath = `${path}.holder`
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path)
    makePrivate(path)
    // SQLite would open an unwritable file read-only and lock nothing.
    accessSync(path, constants.W_OK)
    // A journal file would survive a killed process.
    file.exec('pragma journal_mode = memory; begin exclusive')
    giveToOwner(path)
  } catch (cause) {
    file?.close()
    if ((cause as { readonly errcode?: number }).errcode === sqliteBusy)
      throw new LockedError(path, { cause, holder: readHolder(holderPath) })
    throw new Error(`${path} cannot be locked${explainOwner(path)}`, { cause })
  }
  noteHolder(holderPath)
  const held = file
  return {
    [Symbol.dispose]() {
      if (!held.isOpen) return
      try {
        rmSync(holderPath, { force: true })
      } finally {
        held.close()
      }
    },
  }
}

const thisProcess = (): LockHolder => ({ pid: process.pid, host: hostname(), since: formatTime(Date.now()) })

/** Ignores a failure, such as a full disk: the note only serves messages, and the lock holds without it. */
function noteHolder(path: string): void {
  try {
    // Remove the note of a killed process, so that it is not named instead of this one.
    rmSync(path, { force: true })
    writePrivateFile(path, `${JSON.stringify(thisProcess())}\n`)
    giveToOwner(path)
  } catch (cause) {
    process.emitWarning(new Error(`${path} could not be written; an svc that finds the lock held cannot name this process`, { cause }))
  }
}

const unreadable = ['ENOENT', 'EACCES', 'EPERM']

/** Returns undefined when the note is not written yet, damaged, or unreadable for this user. */
function readHolder(path: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockHolder
  } catch (error) {
    if (error instanceof SyntaxError || unreadable.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** The most common cause: root or another user created the file. */
function explainOwner(path: string): string {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid
  const user = process.getuid?.()
  if (owner === undefined || user === undefined || owner === user) return ''
  return `: it belongs to user ${owner}, and svc runs as user ${user}; change the owner, or run svc as that user`
}
