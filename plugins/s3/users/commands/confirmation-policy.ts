import { CommandError } from '#kernel'
import type { S3Role } from '../../contract.ts'

/** Call it before any request is sent. Throws CommandError with exit code 2. */
export function requireConfirmation(yes: unknown, what: string): void {
  if (yes !== true) throw new CommandError(`${what} must be confirmed with --yes`, { exitCode: 2 })
}

/** The role admin can read and delete everything. Throws CommandError with exit code 2. */
export function requireConfirmedRole(role: S3Role | undefined, yes: unknown): void {
  if (role === 'admin') requireConfirmation(yes, 'the role admin')
}
