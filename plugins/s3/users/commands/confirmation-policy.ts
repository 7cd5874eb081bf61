/** What an operator has to confirm with --yes before anything is sent. Both throw CommandError with exit code 2. */
import { CommandError } from '#kernel'
import type { S3Role } from '../../contract.ts'

export function requireConfirmation(yes: unknown, what: string): void {
  if (yes !== true) throw new CommandError(`${what} must be confirmed with --yes`, { exitCode: 2 })
}

/** Whoever has the role admin reads and deletes everything. */
export function requireConfirmedRole(role: S3Role | undefined, yes: unknown): void {
  if (role === 'admin') requireConfirmation(yes, 'the role admin')
}
