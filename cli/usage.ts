/** Checks of a command line that its declaration cannot express. All throw CommandError with exit code 2. */
import { CommandError } from '#kernel'

export const usageError = (message: string): CommandError => new CommandError(message, { exitCode: 2 })

/** @param action subject of the message, such as `deleting the S3 user x` */
export function requireConfirmation(yes: unknown, action: string): void {
  if (yes !== true) throw usageError(`${action} must be confirmed with --yes`)
}

export function requireWhole(flag: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return
  throw usageError(`${flag} must be a whole number from 1 to ${max}, got ${value}`)
}
