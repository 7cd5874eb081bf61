import { kernelErrors, SvcError } from '../errors.ts'

/** An SQLite error that names the file. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** SQLite's error code, such as `SQLITE_IOERR_WRITE`. */
  readonly code: string

  constructor(path: string, code: string, cause: Error) {
    super(`the database ${path}: ${cause.message} (${code})`, { cause })
    this.code = code
  }
}

/** Adds the file's name to an SQLite error. Returns other errors, and errors that have the name, unchanged. */
export function nameFile(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError || error instanceof SvcError) return error
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && code.startsWith('SQLITE_') ? new DatabaseError(path, code, error) : error
}

/** Faults of the disk under the database: the write may or may not be durable. */
const faultPattern = /^SQLITE_(IOERR|READONLY|CANTOPEN)(_|$)/

/** Errors of a failed write. After `database_full` nothing of the write is durable, now or after a restart. */
export function refuseWrite(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  if (error.code === 'SQLITE_FULL') return kernelErrors.database_full({ cause: error })
  return faultPattern.test(error.code) ? kernelErrors.database_unwritable({ cause: error }) : error
}

const causesMax = 8
const diskCodes: ReadonlySet<string> = new Set(['database_full', 'database_unwritable'])
const serverCodes: ReadonlySet<string> = new Set(['database_busy', 'database_unreachable'])

/** Whether the error or one of its causes is a failed write of the database's disk. The work can be retried when the disk accepts writes. */
export const isDiskFault = (error: unknown): boolean => hasCode(error, diskCodes)

/** Whether the error or one of its causes is that the database server does not answer. The work can be retried when it does. */
export const isServerOutage = (error: unknown): boolean => hasCode(error, serverCodes)

const hasCode = (error: unknown, codes: ReadonlySet<string>): boolean =>
  someCause(error, (cause) => cause instanceof SvcError && codes.has(cause.code))

function someCause(error: unknown, matches: (cause: Error) => boolean): boolean {
  let at = error
  for (let depth = 0; at instanceof Error && depth < causesMax; depth++, at = at.cause) {
    if (matches(at)) return true
  }
  return false
}

const notWritten = new WeakSet<Error>()

/** Marks and returns the error of a transaction that is certainly not committed. */
export function markNotWritten(error: unknown): unknown {
  if (error instanceof Error) notWritten.add(error)
  return error
}

/** Whether the failed write is certainly not durable. After other commit faults it may be. */
export const isNotWritten = (error: unknown): boolean =>
  someCause(error, (cause) => notWritten.has(cause) || (cause instanceof SvcError && cause.code === 'database_full'))
