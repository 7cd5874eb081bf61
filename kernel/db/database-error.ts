import { kernelErrors, SvcError } from '../errors.ts'

/** An error of SQLite that says which file it is about. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** SQLite's own, such as `SQLITE_IOERR_WRITE`. */
  readonly code: string

  constructor(path: string, code: string, cause: Error) {
    super(`the database ${path}: ${cause.message} (${code})`, { cause })
    this.code = code
  }
}

/** The same error with the file's name in it; what is no error of SQLite, or has the name, comes back as it is. */
export function nameFile(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError || error instanceof SvcError) return error
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && code.startsWith('SQLITE_') ? new DatabaseError(path, code, error) : error
}

/** Faults of the disk under the database: the write may or may not be durable. */
const faultPattern = /^SQLITE_(IOERR|READONLY|CANTOPEN)(_|$)/

/** What a failed write tells its caller. With `database_full`, nothing of the write is durable, now or after a restart. */
export function refuseWrite(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  if (error.code === 'SQLITE_FULL') return kernelErrors.database_full({ cause: error })
  return faultPattern.test(error.code) ? kernelErrors.database_unwritable({ cause: error }) : error
}

const causesMax = 8

/** Did the disk of the database fail a write, here or in a cause? Then the work can be repeated once the disk takes writes again. */
export function isDiskFault(error: unknown): boolean {
  let at = error
  for (let depth = 0; at instanceof Error && depth < causesMax; depth++, at = at.cause) {
    if (at instanceof SvcError && (at.code === 'database_full' || at.code === 'database_unwritable')) return true
  }
  return false
}

/** Is it certain that nothing of the failed write is or becomes durable? After other faults of a commit it may yet be. */
export const isNotWritten = (error: unknown): boolean => error instanceof SvcError && error.code === 'database_full'
