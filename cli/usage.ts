/** Checks of a command line that its declaration cannot express. All throw CommandError with exit code 2. */
import { CommandError } from '#kernel'

export const usageError = (message: string): CommandError => new CommandError(message, { exitCode: 2 })

/** @param action subject of the message, such as `deleting the S3 user x` */
export function requireConfirmation(yes: boolean, action: string): void {
  if (!yes) throw usageError(`${action} must be confirmed with --yes`)
}
