import type { SvcError } from '#kernel'
import type { SvcErrorOptions } from '#kernel/system'
import type { S3Users } from '#plugins/s3'
import { adminErrors } from '../errors.ts'
import { internalRoot, isInternalRoot } from './owner-policy.ts'

/**
 * The owner named in a request; null is the service's own account. `users` is undefined while the plugin s3 is disabled.
 * Throws `refuseUnknown`'s error or `s3_users_unavailable` (409).
 */
export function readOwner(
  owner: string,
  users: Pick<S3Users, 'find'> | undefined,
  refuseUnknown: (options: SvcErrorOptions) => SvcError,
): string | null {
  if (isInternalRoot(owner)) return null
  if (!users) throw adminErrors.s3_users_unavailable()
  if (!users.find(owner)) {
    throw refuseUnknown({ message: `There is no S3 user '${owner}'; create it first, or name ${internalRoot}.` })
  }
  return owner
}
