import type { Bucket } from '#plugins/storage'
import type { S3User } from '../contract.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { S3Action } from './actions.ts'
import { authorize } from './authorize-policy.ts'

/** What an action applies to: a bucket, or a key in it. */
interface Resource {
  readonly bucket: Bucket
  readonly key?: string
}

/** `resource`: absent for actions of the whole service. Throws AccessDenied. */
export type RequirePermission = (action: S3Action, resource?: Resource) => Promise<void>

/** `caller`: undefined for an anonymous request. */
export function permissionsOf(caller: S3User | undefined): RequirePermission {
  return async (action, resource) => {
    const verdict = authorize(caller, action, resource?.bucket.ownerAccessKey)
    if (verdict.allow) return
    switch (verdict.reason) {
      case 'anonymous':
        throw new S3Error('AccessDenied')
      case 'role-may-not-create-buckets':
        throw new S3Error('AccessDenied', { message: 'Your role may not create buckets. Use a user with the role userplus or admin.' })
      case 'not-the-owner':
        throw new S3Error('AccessDenied', {
          message: `Access Denied: ${action} on ${describe(resource)} needs the owner of the bucket or a user with the role admin.`,
        })
    }
  }
}

function describe(resource: Resource | undefined): string {
  if (resource === undefined) return '/'
  return resource.key === undefined ? `/${resource.bucket.name}` : `/${resource.bucket.name}/${resource.key}`
}
