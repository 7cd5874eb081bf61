import type { Bucket, ObjectVersion } from '#plugins/storage'
import type { AccessLists } from '../access/access-lists.ts'
import type { S3User } from '../contract.ts'
import { isVersionId } from '../wire/query.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { S3Action } from './actions.ts'
import { authorize, authorizeObject, mayKnowMissing } from './authorize-policy.ts'

/** What an action applies to: a bucket, or a key in it. */
interface Resource {
  readonly bucket: Bucket
  readonly key?: string
  /** Version of the key; absent: the current one. */
  readonly versionId?: string | undefined
}

/** `resource`: absent for actions of the whole service. Throws AccessDenied. */
export type RequirePermission = (action: S3Action, resource?: Resource) => Promise<void>

export interface Permissions {
  readonly require: RequirePermission
  /**
   * Call it with the version that was found in the bucket, before its bytes or facts are used: the permissions so far were for the version
   * that was current when they were asked for. Throws AccessDenied, or NoSuchBucket when another bucket has the name now.
   */
  readonly confirm: (bucket: Bucket, version: Pick<ObjectVersion, 'bucketId' | 'key' | 'versionId'>) => Promise<void>
}

/** A permission that the list of a version gave, or that was given because there is no version. */
interface Given {
  readonly action: S3Action
  readonly bucket: Bucket
  readonly key: string
  readonly versionId: string | undefined
}

type Lists = Pick<AccessLists, 'rulesOf' | 'findObject'>

/** `caller`: undefined for an anonymous request. */
export function permissionsOf(caller: S3User | undefined, lists: Lists): Permissions {
  const given: Given[] = []

  /** Returns the version whose list allows the action. */
  const requireByObject = async (action: S3Action, resource: Resource): Promise<string | undefined> => {
    const { bucket, key, versionId } = resource
    const rules = lists.rulesOf(bucket)
    // An invalid ID is refused later, by those who may go on.
    const mayExist = key !== undefined && (versionId === undefined || isVersionId(versionId))
    const found = mayExist ? await lists.findObject({ bucketId: bucket.id, key, versionId }) : undefined
    if (found === undefined || found.isDeleteMarker) {
      // The same refusal as for a version that the caller may not read.
      if (mayKnowMissing(caller, rules)) return undefined
    } else if (authorizeObject(caller, action, { bucket: rules, access: found.access })) {
      return found.versionId
    }
    throw refusal(caller, action, resource)
  }

  return {
    async require(action, resource) {
      const verdict = authorize(caller, action, resource && lists.rulesOf(resource.bucket))
      if (verdict.allow === true) return
      if (verdict.allow === 'by-object' && resource?.key !== undefined) {
        const versionId = await requireByObject(action, resource)
        given.push({ action, bucket: resource.bucket, key: resource.key, versionId })
        return
      }
      if (verdict.allow === false && verdict.reason === 'role-may-not-create-buckets') {
        throw new S3Error('AccessDenied', { message: 'Your role may not create buckets. Use a user with the role userplus or admin.' })
      }
      throw refusal(caller, action, resource)
    },
    async confirm(bucket, { bucketId, key, versionId }) {
      if (bucketId !== bucket.id) throw new S3Error('NoSuchBucket', { extras: { BucketName: bucket.name } })
      for (const before of given) {
        if (before.bucket.id !== bucketId || before.key !== key || before.versionId === versionId) continue
        await requireByObject(before.action, { bucket, key, versionId })
      }
    },
  }
}

function refusal(caller: S3User | undefined, action: S3Action, resource: Resource | undefined): S3Error {
  if (caller === undefined) return new S3Error('AccessDenied')
  return new S3Error('AccessDenied', {
    message: `Access Denied: ${action} on ${describe(resource)} needs the owner of the bucket, a user with the role admin, or a grant in an access control list.`,
  })
}

function describe(resource: Resource | undefined): string {
  if (resource === undefined) return '/'
  return resource.key === undefined ? `/${resource.bucket.name}` : `/${resource.bucket.name}/${resource.key}`
}
