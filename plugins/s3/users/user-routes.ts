import { defineRoutes, serveEndpoint } from '#kernel'
import { buckets } from '#plugins/storage'
import { type CreatedS3User, type S3User, s3Users } from '../contract.ts'
import { changeRole, createUser, deleteUser, listUsers, rotateSecret, type S3Credentials, type S3UserItem } from './user-api.ts'
import { userErrors } from './user-errors.ts'

/** Owner of the buckets that belong to the service itself. It is not an S3 user. */
const internalRoot = '__internal_root__'

export const userRoutes = defineRoutes({
  name: 's3-users',
  uses: { s3Users, buckets },
  endpoints: [listUsers, createUser, changeRole, rotateSecret, deleteUser],
  register(app, { s3Users, buckets }) {
    const describe = ({ accessKey, ownerId, role }: S3User, owned: number): S3UserItem => ({
      access_key: accessKey,
      owner_id: ownerId,
      role,
      bucket_count: owned,
    })

    serveEndpoint(app, listUsers, async () => {
      const byOwner = Map.groupBy(buckets.list(), ({ ownerAccessKey }) => ownerAccessKey)
      return s3Users.list().map((user) => describe(user, byOwner.get(user.accessKey)?.length ?? 0))
    })
    serveEndpoint(app, createUser, async ({ body }) => toCredentials(await s3Users.create(body.role ?? 'userplus')))
    serveEndpoint(app, changeRole, async ({ params, body }) => {
      const user = await s3Users.setRole(rejectInternalRoot(params.accessKey), body.role)
      return describe(user, await buckets.countOwnedBy(user.accessKey))
    })
    serveEndpoint(app, rotateSecret, async ({ params }) => toCredentials(await s3Users.rotateSecret(rejectInternalRoot(params.accessKey))))
    serveEndpoint(app, deleteUser, async ({ params }) => s3Users.delete(rejectInternalRoot(params.accessKey)))
  },
})

function rejectInternalRoot(accessKey: string): string {
  if (accessKey === internalRoot) throw userErrors.s3_user_internal()
  return accessKey
}

const toCredentials = ({ accessKey, ownerId, secretKey, role }: CreatedS3User): S3Credentials => ({
  access_key: accessKey,
  owner_id: ownerId,
  secret_key: secretKey,
  role,
})
