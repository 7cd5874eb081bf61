import { kernelErrors, SvcError } from '../../errors.ts'
import { DatabaseError } from '../database-error.ts'
import { UnsafeNumber } from './native.ts'

/** An error that the server sent has a five-character SQLSTATE; an error of the connection has none. */
const statePattern = /^[0-9A-Z]{5}$/

/** The server ends or refuses the connection: connection exceptions, shutdown, start, too many connections. */
const connectionPattern = /^(08|57P0|53300)/
const fullState = '53100'
/** Errors of the server's disk, and a server that accepts only reads. */
const unwritablePattern = /^(58|25006|5310|5320)/
const retryableStates = new Set(['40001', '40P01'])

/** Names the database. Only messages are kept: details may contain values. */
export function namePostgres(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || [DatabaseError, SvcError, UnsafeNumber].some((known) => error instanceof known)) return error
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  if (typeof code === 'string' && severity !== undefined && statePattern.test(code)) {
    return connectionPattern.test(code) ? unreachable(name, error) : new DatabaseError(name, code, error)
  }
  return unreachable(name, error)
}

/** For `catch`. */
export const throwNamed =
  (name: string) =>
  (error: unknown): never => {
    throw namePostgres(error, name)
  }

const unreachable = (name: string, cause: Error): SvcError =>
  kernelErrors.database_unreachable({ cause: new DatabaseError(name, 'no connection', cause) })

/** Another svc has the lock of the database, or had it. */
export const inUse = (name: string, message: string): SvcError => unusable(name, inUseCode, message)

/** The server answers, but does not keep what svc needs. */
export const refused = (name: string, message: string): SvcError => unusable(name, 'refused', message)

const inUseCode = 'in use'

const unusable = (name: string, code: string, message: string): SvcError =>
  kernelErrors.service_unavailable({ message, cause: new DatabaseError(name, code, new Error(message)) })

/** `inUse` or `refused`. Jobs may throw the same code for another reason. */
export const isUnusable = (error: unknown): error is SvcError & { readonly cause: DatabaseError } =>
  error instanceof SvcError && error.code === 'service_unavailable' && error.cause instanceof DatabaseError

export const isInUse = (error: unknown): boolean => isUnusable(error) && error.cause.code === inUseCode

/** Errors of a failed write, as its caller gets them. */
export function refusePostgresWrite(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  if (error.code === fullState) return kernelErrors.database_full({ cause: error })
  return unwritablePattern.test(error.code) ? kernelErrors.database_unwritable({ cause: error }) : error
}

export const isUnreachable = (error: unknown): boolean => error instanceof SvcError && error.code === 'database_unreachable'

/** A deadlock or a failed serialisation: the transaction is rolled back and may succeed when it is repeated. */
export const isRetryable = (error: unknown): boolean => error instanceof DatabaseError && retryableStates.has(error.code)
