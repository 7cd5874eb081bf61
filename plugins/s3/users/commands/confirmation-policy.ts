import { requireConfirmation } from '#cli'
import type { S3Role } from '../../contract.ts'

/** The role admin can read and delete everything. Throws CommandError with exit code 2. */
export function requireConfirmedRole(role: S3Role | undefined, yes: boolean): void {
  if (role === 'admin') requireConfirmation(yes, 'the role admin')
}
