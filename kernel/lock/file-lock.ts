import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatTime } from '../clock.ts'
import { writePrivateFile } from '../config/file.ts'

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
 * Nothing else in the process may open the file: closing any descriptor of it frees a POSIX lock. Its holder is therefore noted beside it.
 */
export function lockFile(path: string): Disposable {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const holderPath = `${path}.holder`
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path)
    chmodSync(path, 0o600)
    // In memory: a journal beside the file would be left by a killed process.
    file.exec('pragma journal_mode = memory; begin exclusive')
    writePrivateFile(holderPath, `${JSON.stringify(thisProcess())}\n`)
  } catch (cause) {
    file?.close()
    if ((cause as { readonly errcode?: number }).errcode === sqliteBusy)
      throw new LockedError(path, { cause, holder: readHolder(holderPath) })
    throw new Error(`${path} cannot be locked`, { cause })
  }
  const held = file
  return {
    [Symbol.dispose]() {
      if (!held.isOpen) return
      rmSync(holderPath, { force: true })
      held.close()
    },
  }
}

const thisProcess = (): LockHolder => ({ pid: process.pid, host: hostname(), since: formatTime(Date.now()) })

/** The note only serves the message: undefined while it is not written yet, or when it is damaged. */
function readHolder(path: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockHolder
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
